// SPDX-License-Identifier: Apache-2.0
#include "config/digest.h"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace storage_probe::config {

std::string sha256(std::span<const std::string> texts) {
  sha256_ctx context{};
  sha256_init(&context);
  for (const std::string& text : texts)
    sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::string hex;
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint8_t byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 0xfU];
  }
  return hex;
}

}  // namespace storage_probe::config
