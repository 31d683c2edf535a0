// SPDX-License-Identifier: Apache-2.0
#include "engine/probe_header.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/hash.h"

namespace storage_probe::engine {
namespace {

// Where things are. A newer version may change all of it but the magic and the version.
constexpr std::string_view kMagic = "storage-probe\r\n\x1a";  // 16 bytes
constexpr std::size_t kVersionAt = 16;                        // 4 bytes
constexpr std::size_t kCompleteAt = 20;                       // 4 bytes: kComplete or kPartial
constexpr std::size_t kSizeAt = 24;                           // 8 bytes
constexpr std::size_t kNonceAt = 32;                          // 8 bytes
constexpr std::size_t kHostIdAt = 40;                         // 32 bytes, padded with NUL
constexpr std::size_t kHostIdBytes = 32;
constexpr std::size_t kChecksumAt = 72;  // 8 bytes, over all before it
constexpr std::uint64_t kComplete = 1;
constexpr std::uint64_t kPartial = 2;
constexpr std::size_t kTextAt = 128;
constexpr std::string_view kText =
    "The probe file of storage_probe_exporter, which measures this volume with it. It holds "
    "nothing\n"
    "but noise. It may be removed at any time and is then made anew.\n";

void put(std::span<std::byte> block, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    block[at + i] = static_cast<std::byte>((value >> (8 * i)) & 0xffU);
}

std::uint64_t get(std::span<const std::byte> block, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::to_integer<std::uint64_t>(block[at + i]) << (8 * i);
  return value;
}

std::string_view text_of(std::span<const std::byte> block, std::size_t bytes) {
  return {reinterpret_cast<const char*>(block.data()), bytes};
}

}  // namespace

std::array<std::byte, kHeaderBytes> encode_header(const ProbeHeader& header) {
  std::array<std::byte, kHeaderBytes> block{};
  std::memcpy(block.data(), kMagic.data(), kMagic.size());
  put(block, kVersionAt, kHeaderVersion, 4);
  put(block, kCompleteAt, header.is_complete ? kComplete : kPartial, 4);
  put(block, kSizeAt, header.size.value, 8);
  put(block, kNonceAt, header.nonce, 8);
  std::memcpy(block.data() + kHostIdAt, header.host_id.data(),
              std::min(header.host_id.size(), kHostIdBytes));
  put(block, kChecksumAt, stable_hash(text_of(block, kChecksumAt)), 8);
  std::memcpy(block.data() + kTextAt, kText.data(), kText.size());
  return block;
}

std::variant<ProbeHeader, HeaderFault> decode_header(std::span<const std::byte> block) {
  if (block.size() < kHeaderBytes || text_of(block, kMagic.size()) != kMagic)
    return HeaderFault::foreign;
  if (get(block, kVersionAt, 4) > kHeaderVersion) return HeaderFault::newer_version;
  const bool is_intact = get(block, kChecksumAt, 8) == stable_hash(text_of(block, kChecksumAt));
  const std::uint64_t completeness = get(block, kCompleteAt, 4);
  if (get(block, kVersionAt, 4) != kHeaderVersion || !is_intact ||
      (completeness != kComplete && completeness != kPartial))
    return HeaderFault::foreign;
  ProbeHeader header;
  header.is_complete = completeness == kComplete;
  header.size = {get(block, kSizeAt, 8)};
  header.nonce = get(block, kNonceAt, 8);
  const std::string_view host_id = text_of(block.subspan(kHostIdAt), kHostIdBytes);
  header.host_id = host_id.substr(0, host_id.find('\0'));
  return header;
}

}  // namespace storage_probe::engine
