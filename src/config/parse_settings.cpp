// SPDX-License-Identifier: Apache-2.0
#include "config/parse_settings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "config/parse_volume.h"

namespace storage_probe::config {
namespace {

constexpr std::int64_t kMostConcurrent = 64;
constexpr std::size_t kMostWindows = 32;
constexpr std::size_t kMostFiles = 64;

void parse_profile(const Value& value, Settings& settings) {
  constexpr std::array<std::pair<std::string_view, Profile>, 2> kWords{
      {{"safe", Profile::safe}, {"full", Profile::full}}};
  set(settings.profile, value.one_of<Profile>(kWords));
}

void parse_metrics(const Value& value, Settings& settings) {
  constexpr auto kKeys = std::to_array<std::string_view>({"histograms"});
  constexpr std::array<std::pair<std::string_view, Histograms>, 3> kWords{
      {{"latency", Histograms::latency}, {"all", Histograms::all}, {"none", Histograms::none}}};
  for (const auto& [key, member] : value.fields(kKeys))
    set(settings.histograms, member.one_of<Histograms>(kWords));
}

// "22:00", as minutes since midnight.
std::optional<std::chrono::minutes> time_of_day(std::string_view text) {
  constexpr std::string_view kPattern = "00:00";
  if (text.size() != kPattern.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (digit != (kPattern[i] == '0') || (!digit && text[i] != ':')) return std::nullopt;
  }
  if (text.substr(0, 2) >= "24" || text[3] >= '6') return std::nullopt;
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  return std::chrono::minutes(number(0) * 60 + number(3));
}

// "22:00-05:00"; it may pass midnight.
std::optional<DailyWindow> parse_window(const Value& value) {
  const auto text = value.text();
  if (!text) return std::nullopt;
  const std::string_view window = *text;
  const std::size_t dash = std::min(window.find('-'), window.size());
  const auto from = time_of_day(window.substr(0, dash));
  const auto to = time_of_day(window.substr(std::min(dash + 1, window.size())));
  if (!from || !to) {
    value.refuse(in_quotes(window) + " must be two times of the day, as in \"22:00-05:00\"");
  } else if (*from == *to) {
    value.refuse(in_quotes(window) + " begins when it ends: no time is in it");
  } else {
    return DailyWindow{*from, *to};
  }
  return std::nullopt;
}

void parse_windows(const Value& value, Settings& settings) {
  constexpr auto kKeys = std::to_array<std::string_view>({"capacity", "quiet"});
  for (const auto& [key, member] : value.fields(kKeys)) {
    auto& windows = key == "quiet" ? settings.windows.quiet : settings.windows.capacity;
    for (const Value& entry : member.list(kMostWindows)) {
      if (const auto window = parse_window(entry)) windows.push_back(*window);
    }
  }
}

void parse_instance(const Value& value, Settings& settings) {
  constexpr auto kKeys = std::to_array<std::string_view>({"iops", "throughput"});
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "iops")
      settings.instance.iops = parse_iops(member);
    else
      settings.instance.throughput = member.byte_rate();
  }
}

void parse_promises(const Value& value, Settings& settings) {
  constexpr auto kKeys = std::to_array<std::string_view>({"files"});
  for (const auto& [key, member] : value.fields(kKeys))
    for (const Value& file : member.list(kMostFiles))
      if (const auto name = file.text()) settings.promise_files.push_back(named_file(file, *name));
}

struct Key {
  std::string_view name;
  void (*read)(const Value& value, Settings& settings);
};

constexpr std::array<Key, 7> kKeys{{
    {"profile", parse_profile},
    {
        "max_concurrent_capacity",
        [](const Value& value, Settings& settings) {
          set(settings.max_concurrent_capacity, value.integer(1, kMostConcurrent));
        },
    },
    {"metrics", parse_metrics},
    {"catalogue",
     [](const Value& value, Settings& settings) {
       if (value.text()) settings.catalogue = value;
     }},
    {"windows", parse_windows},
    {"instance", parse_instance},
    {"promises", parse_promises},
}};

}  // namespace

void parse_settings(const Fields& fields, Settings& settings) {
  for (const Key& key : kKeys) {
    const Value* const value = fields.find(key.name);
    if (value == nullptr) continue;
    if (const auto other = settings.set.find(key.name); other != settings.set.end()) {
      value->refuse("already set in " + value->problems().file_name(other->second.file) + " line " +
                    std::to_string(other->second.mark.line) + ": keep one of them");
      continue;
    }
    settings.set.emplace(key.name, value->place());
    key.read(*value, settings);
  }
}

std::filesystem::path named_file(const Value& value, const std::string& name) {
  const std::filesystem::path base = value.problems().file_name(value.place().file);
  return base.parent_path() / name;
}

}  // namespace storage_probe::config
