// SPDX-License-Identifier: Apache-2.0
#include "wire/promises.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace storage_probe::wire {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostVolumes = 100'000;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostShown = 60;
constexpr double kMostIops = 1e9;
constexpr double kMostRate = 1e12;
constexpr unsigned kMostVpu = 10'000;
constexpr Bytes kLargestVolume{1024 * kGiB.value * 1024};

Unexpected invalid(const std::string& message) { return Unexpected(Error{Errc::invalid, message}); }

// A text of the file within a message: short, and on one line.
std::string shown(const std::string& text) {
  std::string safe = text.substr(0, kMostShown);
  for (char& c : safe)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  return '"' + safe + (text.size() > kMostShown ? "...\"" : "\"");
}

Result<double> count_of(const Json& value) {
  double count = 0;
  if (value.is_number()) {
    count = value.get<double>();
  } else if (value.is_string()) {
    const auto parsed = parse_count(value.get<std::string>());
    if (!parsed) return Unexpected(parsed.error());
    count = static_cast<double>(parsed->value);
  } else {
    return invalid("must be a number, as in 3000");
  }
  if (!(count >= 1 && count <= kMostIops)) return invalid("must be from 1 to 1000000000");
  return count;
}

Result<double> rate_of(const Json& value) {
  if (!value.is_string()) return invalid("must be a text with its unit, as in \"125MiB/s\"");
  const auto rate = parse_byte_rate(value.get<std::string>());
  if (!rate) return Unexpected(rate.error());
  if (!(*rate >= 1 && *rate <= kMostRate)) return invalid("must be from 1B/s to 1TB/s");
  return *rate;
}

template <std::optional<double> Promise::*figure, Result<double> (*read)(const Json&)>
Result<void> take_figure(const Json& value, VolumeSpec& volume) {
  const auto number = read(value);
  if (!number) return Unexpected(number.error());
  volume.promise.*figure = *number;
  volume.promise.from = "file";
  return {};
}

Result<void> take_type(const Json& value, VolumeSpec& volume) {
  if (!value.is_string()) return invalid("must be a text, as in \"aws.gp3\"");
  const auto text = value.get<std::string>();
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (text.empty() || text.size() > kLongestName ||
      !std::all_of(text.begin(), text.end(), is_plain))
    return invalid(shown(text) +
                   R"( must hold only letters, digits, ".", "_" and "-", as in aws.gp3)");
  volume.type = text;
  return {};
}

Result<void> take_size(const Json& value, VolumeSpec& volume) {
  if (!value.is_string()) return invalid("must be a text with its unit, as in \"500GiB\"");
  const auto size = parse_bytes(value.get<std::string>());
  if (!size) return Unexpected(size.error());
  if (*size < kMiB || *size > kLargestVolume) return invalid("must be from 1MiB to 1024TiB");
  volume.size = *size;
  return {};
}

Result<void> take_vpu(const Json& value, VolumeSpec& volume) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostVpu)
    return invalid("must be a whole number from 0 to 10000");
  volume.vpu = value.get<unsigned>();
  return {};
}

struct Key {
  std::string_view name;
  Result<void> (*take)(const Json& value, VolumeSpec& volume);
};

constexpr std::array<Key, 9> kKeys{{
    {"type", take_type},
    {"size", take_size},
    {"vpu", take_vpu},
    {"iops", take_figure<&Promise::iops, count_of>},
    {"throughput", take_figure<&Promise::throughput, rate_of>},
    {"read_iops", take_figure<&Promise::read_iops, count_of>},
    {"write_iops", take_figure<&Promise::write_iops, count_of>},
    {"read_throughput", take_figure<&Promise::read_throughput, rate_of>},
    {"write_throughput", take_figure<&Promise::write_throughput, rate_of>},
}};

std::string key_names() {
  std::string names;
  for (const Key& key : kKeys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names;
}

Result<VolumeSpec> volume_of(const Json& entry) {
  if (!entry.is_object()) return invalid("must be an object, as in {\"iops\": 3000}");
  VolumeSpec volume;
  for (const auto& item : entry.items()) {
    const std::string& name = item.key();
    const auto* const key = std::find_if(kKeys.begin(), kKeys.end(),
                                         [&](const Key& each) { return each.name == name; });
    if (key == kKeys.end())
      return invalid(shown(name) + " is no key of a volume: there are " + key_names());
    if (item.value().is_null()) continue;
    const auto taken = key->take(item.value(), volume);
    if (!taken) return Unexpected(taken.error().in(name));
  }
  return volume;
}

// The place of a byte as editors show it.
std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.find_last_of('\n') + 1;  // 0 where there is none
  return "line " + std::to_string(lines + 1) + ", column " +
         std::to_string(before.size() - line_start + 1);
}

Result<Json> json_of(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return invalid("no JSON: wrong at " + place_of(text, error.byte));
  } catch (const Json::exception&) {
    return invalid("no JSON: a number in it is too large");
  }
}

}  // namespace

Result<PromiseBook> parse_promises(std::string_view json) {
  if (json.size() > kLargestPromises.value)
    return invalid("longer than " + to_text(kLargestPromises) + ": split it into several files");
  const auto root = json_of(json);
  if (!root) return Unexpected(root.error());
  if (!root->is_object())
    return invalid(R"(must be an object of volume ids, as in {"vol-1": {"iops": 3000}})");
  if (root->size() > kMostVolumes)
    return invalid(std::to_string(root->size()) + " volumes, at most " +
                   std::to_string(kMostVolumes) + " are possible: split it into several files");
  PromiseBook book;
  for (const auto& [id, entry] : root->items()) {
    if (id.empty() || id.size() > kLongestName)
      return invalid("a volume id must have 1 to " + std::to_string(kLongestName) + " characters");
    auto volume = volume_of(entry);
    if (!volume) return Unexpected(volume.error().in("volume " + shown(id)));
    book.emplace(id, *std::move(volume));
  }
  return book;
}

}  // namespace storage_probe::wire
