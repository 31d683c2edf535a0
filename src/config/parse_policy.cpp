// SPDX-License-Identifier: Apache-2.0
#include "config/parse_policy.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>

namespace storage_probe::config {
namespace {

constexpr Bytes kDirectUnit{4096};
constexpr Bytes kSmallestFile{4 * kMiB.value};
constexpr Bytes kLargestFile{1024 * kGiB.value};
constexpr Bytes kMostBytes{1024 * kGiB.value * 1024};
constexpr Ops kMostIos{1'000'000'000'000};
constexpr double kSmallestShare = 0.00001;
constexpr std::size_t kLongestLabelValue = 128;

// A path under the target: relative, without "..", in its shortest spelling.
std::optional<std::string> path_below(const Value& value) {
  const auto text = value.text();
  if (!text) return std::nullopt;
  const std::filesystem::path path(*text);
  if (path.is_absolute()) {
    value.refuse(in_quotes(*text) + " is absolute: write it relative to the target's path");
    return std::nullopt;
  }
  if (std::find(path.begin(), path.end(), "..") != path.end()) {
    value.refuse(in_quotes(*text) + " leaves the target: write it without \"..\"");
    return std::nullopt;
  }
  auto shortest = path.lexically_normal().string();
  if (shortest.ends_with('/')) shortest.pop_back();
  if (shortest != ".") return shortest;
  value.refuse(in_quotes(*text) + " is the target's path itself: name something below it");
  return std::nullopt;
}

void parse_file_size(const Value& value, ProbeFileSpec& file) {
  const auto size = value.bytes(kSmallestFile, kLargestFile);
  if (!size) return;
  if (size->value % kDirectUnit.value != 0) {
    const Bytes near{size->value / kMiB.value * kMiB.value};
    value.refuse(in_quotes(to_text(*size)) +
                 " is not a multiple of 4KiB, the unit of direct I/O: write for example " +
                 to_text(near));
    return;
  }
  file.size = size;
}

}  // namespace

void parse_file(const Value& value, TargetDraft& draft) {
  using Mode = ProbeFileSpec::Mode;
  constexpr auto kKeys = std::to_array<std::string_view>({"size", "directory", "mode", "path"});
  constexpr std::array<std::pair<std::string_view, Mode>, 2> kModes{
      {{"managed", Mode::managed}, {"existing", Mode::existing}}};
  ProbeFileSpec& file = draft.target.file;
  for (const auto& [key, member] : value.fields(kKeys)) {
    draft.add_source("file." + key, member.place());
    if (key == "size") {
      parse_file_size(member, file);
    } else if (key == "directory") {
      set(file.directory, path_below(member));
      file.directory_is_explicit = true;
    } else if (key == "mode") {
      set(file.mode, member.one_of<Mode>(kModes));
    } else {
      set(file.path, path_below(member));
    }
  }
}

void parse_space(const Value& value, TargetDraft& draft) {
  constexpr auto kKeys = std::to_array<std::string_view>({"min_free", "min_free_bytes"});
  for (const auto& [key, member] : value.fields(kKeys)) {
    draft.add_source("space." + key, member.place());
    if (key == "min_free")
      set(draft.target.space.min_free_ratio, member.percent(0, 0.99));
    else
      set(draft.target.space.min_free_bytes, member.bytes(Bytes{0}, kMostBytes));
  }
}

void parse_busy(const Value& value, TargetDraft& draft) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"max_other_iops", "max_other_throughput"});
  BusyRule& busy = draft.target.busy;
  for (const auto& [key, member] : value.fields(kKeys))
    set(key == "max_other_iops" ? busy.max_other_iops : busy.max_other_throughput,
        member.percent(0.01, 1));
}

void parse_budget(const Value& value, TargetDraft& draft) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"share", "bytes_per_day", "ios_per_day", "duty_cycle"});
  BudgetRule& budget = draft.target.budget;
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "share")
      set(budget.share, member.percent(kSmallestShare, 1));
    else if (key == "bytes_per_day")
      set(budget.bytes_per_day, member.bytes(kMiB, kMostBytes));
    else if (key == "ios_per_day")
      set(budget.ios_per_day, member.count(Ops{1}, kMostIos));
    else
      set(budget.duty_cycle, member.percent(kSmallestShare, 1));
  }
}

void parse_labels(const Value& value, TargetDraft& draft) {
  for (const auto& [name, member] : value.fields()) {
    const auto text = member.text();
    if (const std::string flaw = flaw_of_label(name); !flaw.empty())
      member.refuse(flaw);
    else if (text && text->size() > kLongestLabelValue)
      member.refuse("longer than " + std::to_string(kLongestLabelValue) + " bytes: shorten it");
    else if (text)
      draft.target.labels.insert_or_assign(name, *text);
  }
}

}  // namespace storage_probe::config
