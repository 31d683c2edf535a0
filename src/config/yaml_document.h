// SPDX-License-Identifier: Apache-2.0
// YAML text to a tree of plain values. The tree is built from the library's events, not by its
// loader: that one expands aliases without bound and ignores what follows the first document.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "config/problems.h"

namespace storage_probe::config {

inline constexpr std::size_t kMaxFileBytes = kMiB.value;

// One value. A text is kept as written, whether quoted or not: what it means, its reader knows.
struct YamlNode {
  enum class Kind { null, text, list, map };

  Kind kind = Kind::null;
  Mark mark;
  std::string text;
  std::vector<YamlNode> keys;   // of a map, beside `items`; always texts
  std::vector<YamlNode> items;  // of a list or map
};

// The tree, or the first thing that keeps the text from being one.
struct Document {
  struct Refusal {
    Mark mark;
    std::string reason;
  };

  YamlNode root;  // null for an empty text
  std::optional<Refusal> refusal;
};

// What is said of a text of more than kMaxFileBytes.
std::string too_long();

// Refused besides bad syntax: more than 1 MiB, bytes that are not UTF-8, control characters, tabs
// in the indentation, nesting deeper than 20, anchors, aliases, tags, merge keys, keys that are
// lists or maps, and a second document. Never throws, whatever the text.
Document parse_yaml(std::string_view text);

}  // namespace storage_probe::config
