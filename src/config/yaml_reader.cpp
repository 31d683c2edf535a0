// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "config/words.h"

namespace storage_probe::config {
namespace {

constexpr std::size_t kMostMembers = 1024;

std::string shown(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", number);
  return text.data();
}

template <typename T>
std::optional<T> from_text(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string name_of(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::text:
      return "one value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a map of keys";
  }
  return "unknown";
}

std::string between(const std::string& least, const std::string& most) {
  return " must be between " + least + " and " + most;
}

}  // namespace

bool Value::require(YamlNode::Kind kind) const {
  if (node_->kind == kind) return true;
  if (is_empty())
    refuse("has no value: give it one, or remove the key");
  else if (is_text())
    refuse("must be " + name_of(kind) + ", not " + in_quotes(node_->text) +
           (kind == YamlNode::Kind::list ? ": put it in [ ]" : ""));
  else
    refuse("must be " + name_of(kind) + ", not " + name_of(node_->kind));
  return false;
}

std::optional<std::string> Value::text() const {
  if (!require(YamlNode::Kind::text)) return std::nullopt;
  if (!node_->text.empty()) return node_->text;
  refuse("is an empty text: give it a value, or remove the key");
  return std::nullopt;
}

std::optional<bool> Value::yes_or_no() const {
  const auto word = text();
  if (!word) return std::nullopt;
  if (*word == "true") return true;
  if (*word == "false") return false;
  refuse(in_quotes(*word) + " is neither true nor false");
  return std::nullopt;
}

template <typename T>
std::optional<T> Value::within(std::optional<T> value, T least, T most,
                               const std::pair<std::string, std::string>& shown_limits) const {
  if (!value || (*value >= least && *value <= most)) return value;
  refuse(in_quotes(node_->text) + between(shown_limits.first, shown_limits.second));
  return std::nullopt;
}

template <typename T>
std::optional<T> Value::parsed(Result<T> (*parse)(std::string_view)) const {
  const auto word = text();
  if (!word) return std::nullopt;
  auto value = parse(*word);
  if (value) return *value;
  refuse(value.error().message);
  return std::nullopt;
}

std::optional<std::int64_t> Value::integer(std::int64_t least, std::int64_t most) const {
  const auto word = text();
  if (!word) return std::nullopt;
  const auto value = from_text<std::int64_t>(*word);
  if (value && *value >= least && *value <= most) return value;
  refuse(in_quotes(*word) + " must be a whole number from " + std::to_string(least) + " to " +
         std::to_string(most));
  return std::nullopt;
}

std::optional<double> Value::number(double least, double most) const {
  const auto word = text();
  if (!word) return std::nullopt;
  const auto value = from_text<double>(*word);
  if (value && *value >= least && *value <= most) return value;  // false for NaN
  refuse(in_quotes(*word) + " must be a plain number from " + shown(least) + " to " + shown(most));
  return std::nullopt;
}

std::optional<Duration> Value::duration(Duration least, Duration most) const {
  return within(parsed(parse_duration), least, most, {to_text(least), to_text(most)});
}

std::optional<Bytes> Value::bytes(Bytes least, Bytes most) const {
  return within(parsed(parse_bytes), least, most, {to_text(least), to_text(most)});
}

std::optional<Ops> Value::count(Ops least, Ops most) const {
  return within(parsed(parse_count), least, most,
                {std::to_string(least.value), std::to_string(most.value)});
}

std::optional<double> Value::byte_rate() const {
  const auto rate = within(parsed(parse_byte_rate), 1e3, 1e12, {"1kB/s", "1TB/s"});
  if (!rate) return std::nullopt;
  return std::round(*rate);
}

std::optional<double> Value::percent(double least, double most) const {
  return within(parsed(parse_percent), least, most,
                {shown(least * 100) + "%", shown(most * 100) + "%"});
}

void Value::refuse_word(std::span<const std::string_view> words) const {
  refuse(in_quotes(node_->text) + " is unknown" + hint(node_->text, words));
}

std::vector<Value> Value::list(std::size_t most) const {
  std::vector<Value> entries;
  if (!require(YamlNode::Kind::list)) return entries;
  if (node_->items.size() > most)
    refuse(std::to_string(node_->items.size()) + " entries, at most " + std::to_string(most) +
           " are possible");
  for (std::size_t i = 0; i < std::min(node_->items.size(), most); ++i) {
    Place place = place_.at(node_->items[i].mark);
    place.path += "[" + std::to_string(i) + "]";
    entries.emplace_back(node_->items[i], std::move(place), *problems_);
  }
  return entries;
}

Fields Value::fields() const {
  Fields fields;
  if (!require(YamlNode::Kind::map)) return fields;
  if (node_->keys.size() > kMostMembers) {
    refuse("more than " + std::to_string(kMostMembers) + " keys");
    return fields;
  }
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    const YamlNode& key = node_->keys[i];
    const std::string name = in_quotes(key.text);
    const Place at_key = place_.at(key.mark).child(name.substr(1, name.size() - 2));
    if (const Value* first = fields.find(key.text)) {
      problems_->refuse(at_key, "duplicate key, already in line " +
                                    std::to_string(first->place().mark.line) + ": keep one");
      continue;
    }
    fields.members_.emplace_back(
        key.text, Value(node_->items[i], at_key.at(node_->items[i].mark), *problems_));
  }
  return fields;
}

Fields Value::fields(std::span<const std::string_view> known) const {
  Fields all = fields();
  for (std::size_t i = 0; node_->kind == YamlNode::Kind::map && i < node_->keys.size(); ++i) {
    const YamlNode& key = node_->keys[i];
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    const std::string name = in_quotes(key.text);
    problems_->refuse(place_.at(key.mark).child(name.substr(1, name.size() - 2)),
                      "unknown key" + hint(key.text, known));
  }
  std::erase_if(all.members_, [&](const auto& member) {
    return std::find(known.begin(), known.end(), member.first) == known.end();
  });
  return all;
}

const Value* Fields::find(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const auto& member) { return member.first == key; });
  return found == members_.end() ? nullptr : &found->second;
}

Fields Fields::without(std::string_view key) const {
  Fields rest = *this;
  std::erase_if(rest.members_, [&](const auto& member) { return member.first == key; });
  return rest;
}

}  // namespace storage_probe::config
