// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <optional>
#include <string>

namespace storage_probe::test {

// The text of exactly one gzip member with a right checksum; empty for anything else.
inline std::optional<std::string> gunzip(const std::string& data) {
  z_stream stream{};
  if (::inflateInit2(&stream, 15 + 16) != Z_OK) return std::nullopt;
  std::string in = data;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    std::string piece(65536, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  const bool complete = status == Z_STREAM_END && stream.avail_in == 0;
  ::inflateEnd(&stream);
  if (!complete) return std::nullopt;
  return out;
}

}  // namespace storage_probe::test
