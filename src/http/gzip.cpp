// SPDX-License-Identifier: Apache-2.0
#include "http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace storage_probe::http {
namespace {

// An exposition shrinks to a tenth at the fastest level already.
constexpr int kLevel = Z_BEST_SPEED;

enum class Ending { open, final };

// Raw deflate of `text`. An open end is on a byte boundary: another stream can follow.
std::optional<std::string> deflate_text(std::string_view text, Ending ending) {
  if (text.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  constexpr int kRaw = -15;
  constexpr int kMemory = 8;
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, kRaw, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  constexpr std::size_t kFlushMarker = 16;  // what an open end may add to the bound
  std::string out(::deflateBound(&stream, text.size()) + kFlushMarker, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib only reads it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), UINT32_MAX));
  const int done = ::deflate(&stream, ending == Ending::final ? Z_FINISH : Z_SYNC_FLUSH);
  const bool complete = stream.avail_in == 0 && stream.avail_out > 0 &&
                        done == (ending == Ending::final ? Z_STREAM_END : Z_OK);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (!complete) return std::nullopt;
  return out;
}

std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

void append_little_endian(std::string& to, std::uint32_t value) {
  for (int byte = 0; byte < 4; ++byte, value >>= 8U) to += static_cast<char>(value & 0xffU);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Cuts `text` at `separator` and returns what stood before it.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// A weight of zero ("q=0", "q=0.000") forbids the coding.
bool is_forbidden(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view parameter = take(parameters, ';');
    const std::string_view key = take(parameter, '=');
    if (equals_ignoring_case(key, "q"))
      return parameter.find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view coding = take(accept_encoding, ',');
    const std::string_view name = take(coding, ';');
    if (equals_ignoring_case(name, "gzip") || equals_ignoring_case(name, "x-gzip"))
      return !is_forbidden(coding);
    if (name == "*") any = !is_forbidden(coding);
  }
  return any;
}

std::optional<GzipHead> gzip_head(std::string_view text) {
  auto body = deflate_text(text, Ending::open);
  if (!body) return std::nullopt;
  // Magic, deflate, no flags, no time, fastest, Unix.
  constexpr std::string_view kHeader("\x1f\x8b\x08\0\0\0\0\0\x04\x03", 10);
  return GzipHead{std::string(kHeader) + *body, crc_of(text),
                  static_cast<std::uint32_t>(text.size())};
}

std::optional<std::string> gzip_tail(const GzipHead& head, std::string_view text) {
  auto rest = deflate_text(text, Ending::final);
  if (!rest) return std::nullopt;
  const auto length = static_cast<z_off_t>(text.size());
  append_little_endian(*rest,
                       static_cast<std::uint32_t>(::crc32_combine(head.crc, crc_of(text), length)));
  append_little_endian(*rest, head.length + static_cast<std::uint32_t>(text.size()));
  return rest;
}

}  // namespace storage_probe::http
