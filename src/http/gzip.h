// SPDX-License-Identifier: Apache-2.0
// gzip in two parts, so that the large part that many scrapes share is compressed once and the
// small part that changes each time is put behind it. The result is one ordinary gzip member: some
// clients read only the first of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace storage_probe::http {

// Whether an Accept-Encoding header allows gzip.
bool accepts_gzip(std::string_view accept_encoding);

// The beginning of a gzip member: everything of `text`, and what is needed to go on behind it.
struct GzipHead {
  std::string data;
  std::uint32_t crc = 0;
  std::uint32_t length = 0;  // modulo 2^32, as the format has it
};

// Empty when there is no memory for it.
std::optional<GzipHead> gzip_head(std::string_view text);
// The rest of the member that `head` begins.
std::optional<std::string> gzip_tail(const GzipHead& head, std::string_view text);

}  // namespace storage_probe::http
