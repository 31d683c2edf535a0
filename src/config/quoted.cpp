// SPDX-License-Identifier: Apache-2.0
#include "config/quoted.h"

#include <array>
#include <cstdio>

namespace storage_probe::config {

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      quoted += c;
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(c));
    quoted += escape.data();
  }
  return quoted + '"';
}

}  // namespace storage_probe::config
