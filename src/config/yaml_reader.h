// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "config/problems.h"
#include "config/words.h"
#include "config/yaml_document.h"

namespace storage_probe::config {

class Fields;

// A cursor on one value that knows where it stands and what it is called. Reading it as something
// that it is not tells Problems why and answers nothing; the reader then leaves its default and
// goes on, so that all flaws of a file are found at once. Cheap to copy; the tree and the Problems
// must outlive it.
class Value {
 public:
  Value(const YamlNode& node, Place place, Problems& problems)
      : node_(&node), place_(std::move(place)), problems_(&problems) {}

  const Place& place() const { return place_; }
  bool is_empty() const { return node_->kind == YamlNode::Kind::null; }
  bool is_text() const { return node_->kind == YamlNode::Kind::text; }
  bool is_list() const { return node_->kind == YamlNode::Kind::list; }
  bool is_map() const { return node_->kind == YamlNode::Kind::map; }
  void refuse(const std::string& reason) const { problems_->refuse(place_, reason); }
  Problems& problems() const { return *problems_; }

  std::optional<std::string> text() const;  // never empty
  std::optional<bool> yes_or_no() const;
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t most) const;
  std::optional<double> number(double least, double most) const;
  std::optional<Duration> duration(Duration least, Duration most) const;
  std::optional<Bytes> bytes(Bytes least, Bytes most) const;
  std::optional<Ops> count(Ops least, Ops most) const;
  std::optional<double> byte_rate() const;  // whole bytes per second, 1kB/s to 1TB/s
  std::optional<double> percent(double least, double most) const;  // given and answered as ratios
  template <typename Enum>
  std::optional<Enum> one_of(std::span<const std::pair<std::string_view, Enum>> words) const;

  // At most `most` entries. A value that is no list has none.
  std::vector<Value> list(std::size_t most) const;
  // The members of a map that knows these keys only, or any where there is no list of known ones.
  Fields fields(std::span<const std::string_view> known) const;
  Fields fields() const;

 private:
  bool require(YamlNode::Kind kind) const;
  template <typename T>
  std::optional<T> parsed(Result<T> (*parse)(std::string_view)) const;
  template <typename T>
  std::optional<T> within(std::optional<T> value, T least, T most,
                          const std::pair<std::string, std::string>& shown) const;
  void refuse_word(std::span<const std::string_view> words) const;

  const YamlNode* node_;
  Place place_;
  Problems* problems_;
};

// The members of a map, in the file's order, each key once.
class Fields {
 public:
  std::vector<std::pair<std::string, Value>>::const_iterator begin() const {
    return members_.begin();
  }
  std::vector<std::pair<std::string, Value>>::const_iterator end() const { return members_.end(); }
  bool empty() const { return members_.empty(); }
  const Value* find(std::string_view key) const;
  Fields without(std::string_view key) const;

 private:
  friend class Value;
  std::vector<std::pair<std::string, Value>> members_;
};

template <typename Enum>
std::optional<Enum> Value::one_of(std::span<const std::pair<std::string_view, Enum>> words) const {
  const auto word = text();
  if (!word) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : words) {
    if (name == *word) return value;
    names.push_back(name);
  }
  refuse_word(names);
  return std::nullopt;
}

// Takes over what was read; leaves `into` as it is where nothing was.
template <typename T, typename U>
void set(T& into, std::optional<U> read) {
  if (read) into = static_cast<T>(std::move(*read));
}

}  // namespace storage_probe::config
