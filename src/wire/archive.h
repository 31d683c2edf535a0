// SPDX-License-Identifier: Apache-2.0
// One description of a struct serves both directions: `fields(archive, value)` names each member
// once, and the archive, a Writer or a Reader, does the rest. Private to this room.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::wire {

using Json = nlohmann::json;

// The last enumerator of an enum that travels; it does as its number.
template <typename Enum>
inline constexpr Enum kLast = Enum::undefined;  // each enum specializes it

// A string as it is, or, when it is no UTF-8, as the array of its bytes.
Json text_to_json(const std::string& text);
Result<std::string> text_from_json(const Json& json);
// Null is never the parse of a text here: empty is what is no JSON.
std::optional<Json> parse_json(std::string_view text);

class Writer {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  void operator()(const char* key, T& value) {
    json_[key] = to_json(value);
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    if (value) json_[key] = to_json(*value);
  }

  template <typename T>
  static Json to_json(T& value) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<unsigned>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else {
      Writer inner;
      fields(inner, value);
      return std::move(inner.json_);
    }
  }
  static Json to_json(std::string& text) { return text_to_json(text); }
  static Json to_json(std::filesystem::path& path) { return text_to_json(path.native()); }
  static Json to_json(Duration& duration) { return duration.count(); }
  static Json to_json(WallTime& time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
  }
  template <typename Tag>
  static Json to_json(Count<Tag>& count) {
    return count.value;
  }
  template <typename T>
  static Json to_json(PerOperation<T>& values) {
    Json array = Json::array();
    for (T& value : values.values) array.push_back(to_json(value));
    return array;
  }
  template <typename T>
  static Json to_json(std::vector<T>& values) {
    Json array = Json::array();
    for (T& value : values) array.push_back(to_json(value));
    return array;
  }
  template <typename T>
  static Json to_json(std::map<std::string, T>& values) {  // pairs: a key may be no UTF-8
    Json array = Json::array();
    for (auto& [key, value] : values) {
      array.push_back(Json::array({text_to_json(key), to_json(value)}));
    }
    return array;
  }

 private:
  Json json_ = Json::object();
};

// Keeps the first error; what comes after it changes nothing.
class Reader {
 public:
  static constexpr bool kReads = true;

  explicit Reader(const Json& json) : json_(json) {
    if (!json.is_object()) fail("not an object");
  }

  template <typename T>
  void operator()(const char* key, T& value) {
    if (const Json* json = find(key)) {
      take(key, from_json(*json, value));
    } else {
      fail(std::string("no ") + key);
    }
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    if (const Json* json = find(key)) take(key, from_json(*json, value.emplace()));
  }

  void fail(std::string why) {
    if (!error_) error_ = Error{Errc::invalid, std::move(why)};
  }
  // After the last field: a key that nobody asked for is an error too.
  Result<void> finish() {
    if (!error_ && json_.size() != known_) fail("unknown key");
    if (error_) return Unexpected(*error_);
    return {};
  }

  template <typename T>
  static Result<void> from_json(const Json& json, T& value) {
    if constexpr (std::is_enum_v<T>) {
      unsigned number = 0;
      if (auto read = from_json(json, number); !read) return read;
      if (number > static_cast<unsigned>(kLast<T>)) return refuse("no such value");
      value = static_cast<T>(number);
      return {};
    } else if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return refuse("not a boolean");
      value = json.get<bool>();
      return {};
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number() || !std::isfinite(json.get<T>())) return refuse("not a number");
      value = json.get<T>();
      return {};
    } else if constexpr (std::is_integral_v<T>) {
      return integer_from_json(json, value);
    } else {
      Reader inner(json);
      fields(inner, value);
      return inner.finish();
    }
  }
  static Result<void> from_json(const Json& json, std::string& text);
  static Result<void> from_json(const Json& json, std::filesystem::path& path);
  static Result<void> from_json(const Json& json, Duration& duration);
  static Result<void> from_json(const Json& json, WallTime& time);
  template <typename Tag>
  static Result<void> from_json(const Json& json, Count<Tag>& count) {
    return from_json(json, count.value);
  }
  template <typename T>
  static Result<void> from_json(const Json& json, PerOperation<T>& values) {
    if (!json.is_array() || json.size() != values.values.size()) return refuse("not one a kind");
    for (std::size_t i = 0; i < json.size(); ++i) {
      if (auto read = from_json(json[i], values.values[i]); !read) return read;
    }
    return {};
  }
  template <typename T>
  static Result<void> from_json(const Json& json, std::vector<T>& values) {
    if (!json.is_array()) return refuse("not an array");
    for (const Json& item : json) {
      if (auto read = from_json(item, values.emplace_back()); !read) return read;
    }
    return {};
  }
  template <typename T>
  static Result<void> from_json(const Json& json, std::map<std::string, T>& values) {
    if (!json.is_array()) return refuse("not an array");
    for (const Json& item : json) {
      if (!item.is_array() || item.size() != 2) return refuse("not a pair");
      std::string key;
      if (auto read = from_json(item[0], key); !read) return read;
      if (auto read = from_json(item[1], values[key]); !read) return read;
    }
    return {};
  }

 private:
  static Result<void> refuse(std::string why) {
    return Unexpected(Error{Errc::invalid, std::move(why)});
  }
  template <typename T>
  static Result<void> integer_from_json(const Json& json, T& value) {
    if (!json.is_number_integer()) return refuse("not an integer");
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) return refuse("out of range");
    value = json.get<T>();
    return {};
  }
  const Json* find(const char* key) {
    if (error_) return nullptr;
    const auto found = json_.find(key);
    if (found == json_.end()) return nullptr;
    ++known_;
    return &*found;
  }
  void take(const char* key, const Result<void>& read) {
    if (!read) fail(read.error().in(key).message);
  }

  const Json& json_;  // outlives the Reader
  std::size_t known_ = 0;
  std::optional<Error> error_;
};

}  // namespace storage_probe::wire
