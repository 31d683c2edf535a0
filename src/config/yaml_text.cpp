// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/units.h"

namespace storage_probe::config {
namespace {

constexpr bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string hex(char c) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%02x", static_cast<unsigned>(c) & 0xffU);
  return text.data();
}

// The column of a tab among the blanks that a line with content begins with, else 0.
unsigned tab_in_indentation(std::string_view line) {
  const std::size_t content = line.find_first_not_of(" \t\r");
  if (content == std::string_view::npos || line[content] == '#') return 0;
  const std::size_t tab = line.substr(0, content).find('\t');
  return tab == std::string_view::npos ? 0 : static_cast<unsigned>(tab) + 1;
}

std::optional<Document::Refusal> check_line(std::string_view line, unsigned number) {
  const auto refuse = [&](std::size_t column, const std::string& reason) {
    return Document::Refusal{{number, static_cast<unsigned>(column) + 1}, reason};
  };
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t length = utf8_length(line.substr(i));
    if (length == 0)
      return refuse(i, "byte " + hex(line[i]) + " is not UTF-8: save the file as UTF-8");
    const bool line_end = line[i] == '\r' && i + 1 == line.size();
    if (is_control(line[i]) && line[i] != '\t' && !line_end)
      return refuse(
          i, "control character " + hex(line[i]) + ": remove it, a configuration is plain text");
    i += length;
  }
  if (const unsigned column = tab_in_indentation(line); column > 0)
    return refuse(column - 1, "a tab in the indentation: use spaces");
  return std::nullopt;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  const bool bad = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
                   (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : length;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

std::string too_long() {
  return "longer than " + to_text(Bytes{kMaxFileBytes}) +
         ": split it into files and name them under include";
}

std::optional<Document::Refusal> check_text(std::string_view text) {
  if (text.size() > kMaxFileBytes) return Document::Refusal{{}, too_long()};
  unsigned number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto refusal = check_line(text.substr(0, end), ++number)) return refusal;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace storage_probe::config
