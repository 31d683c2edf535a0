// SPDX-License-Identifier: Apache-2.0
#include "wire/archive.h"

namespace storage_probe::wire {

Json text_to_json(const std::string& text) {
  Json json = text;
  try {
    static_cast<void>(json.dump());  // throws on what is no UTF-8, and nothing else tells
    return json;
  } catch (const Json::type_error&) {
    Json bytes = Json::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return bytes;
  }
}

Result<std::string> text_from_json(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::vector<unsigned char> bytes;
  if (auto read = Reader::from_json(json, bytes); !read) {
    return Unexpected(Error{Errc::invalid, "not a text"});
  }
  return std::string(bytes.begin(), bytes.end());
}

std::optional<Json> parse_json(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

Result<void> Reader::from_json(const Json& json, std::string& text) {
  auto read = text_from_json(json);
  if (!read) return Unexpected(read.error());
  text = *std::move(read);
  return {};
}

Result<void> Reader::from_json(const Json& json, std::filesystem::path& path) {
  std::string text;
  auto read = from_json(json, text);
  path = text;
  return read;
}

Result<void> Reader::from_json(const Json& json, Duration& duration) {
  Duration::rep nanoseconds = 0;
  auto read = from_json(json, nanoseconds);
  duration = Duration(nanoseconds);
  return read;
}

Result<void> Reader::from_json(const Json& json, WallTime& time) {
  Duration since_epoch{};
  auto read = from_json(json, since_epoch);
  time = WallTime(since_epoch);
  return read;
}

}  // namespace storage_probe::wire
