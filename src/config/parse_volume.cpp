// SPDX-License-Identifier: Apache-2.0
#include "config/parse_volume.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace storage_probe::config {
namespace {

using std::chrono::microseconds;
using std::chrono::minutes;

constexpr std::size_t kMostMembers = 64;
constexpr Ops kMostIops{1'000'000'000};
constexpr std::int64_t kMostVpu = 10'000;
constexpr Bytes kLargestVolume{1024 * kGiB.value * 1024};

using Layout = VolumeSpec::Layout;
using Per = VolumeSpec::Per;

void parse_member(const Value& entry, VolumeSpec& volume) {
  constexpr auto kKeys = std::to_array<std::string_view>({"id", "iops", "throughput"});
  const Fields fields = entry.fields(kKeys);
  VolumeMember member;
  if (const Value* id = fields.find("id"))
    set(member.id, id->text());
  else
    entry.refuse("has no id: add the id of the volume");
  if (const Value* iops = fields.find("iops")) member.iops = parse_iops(*iops);
  if (const Value* rate = fields.find("throughput")) member.throughput = rate->byte_rate();
  volume.members.push_back(std::move(member));
}

void parse_members(const Value& value, VolumeSpec& volume) {
  volume.members.clear();
  for (const Value& entry : value.list(kMostMembers)) parse_member(entry, volume);
}

void parse_type(const Value& value, VolumeSpec& volume) {
  const auto type = value.text();
  if (const std::string flaw = type ? flaw_of_name(*type) : ""; !flaw.empty())
    value.refuse(flaw);
  else
    set(volume.type, type);
}

void parse_per(const Value& value, VolumeSpec& volume) {
  constexpr std::array<std::pair<std::string_view, Per>, 2> kWords{
      {{"filesystem", Per::filesystem}, {"client", Per::client}}};
  set(volume.per, value.one_of<Per>(kWords));
}

void parse_layout(const Value& value, VolumeSpec& volume) {
  constexpr std::array<std::pair<std::string_view, Layout>, 3> kWords{
      {{"stripe", Layout::stripe}, {"mirror", Layout::mirror}, {"linear", Layout::linear}}};
  set(volume.layout, value.one_of<Layout>(kWords));
}

using ReadKey = void (*)(const Value&, VolumeSpec&);
template <std::optional<double> Promise::*figure>
void read_iops(const Value& value, VolumeSpec& volume) {
  if (const auto iops = parse_iops(value)) volume.promise.*figure = iops;
}
template <std::optional<double> Promise::*figure>
void read_rate(const Value& value, VolumeSpec& volume) {
  if (const auto rate = value.byte_rate()) volume.promise.*figure = rate;
}

constexpr std::array<std::string_view, 12> kKeys{"type",
                                                 "iops",
                                                 "throughput",
                                                 "size",
                                                 "vpu",
                                                 "per",
                                                 "read_iops",
                                                 "write_iops",
                                                 "read_throughput",
                                                 "write_throughput",
                                                 "members",
                                                 "layout"};
constexpr std::array<ReadKey, kKeys.size()> kReaders{
    parse_type,
    read_iops<&Promise::iops>,
    read_rate<&Promise::throughput>,
    [](const Value& value, VolumeSpec& volume) {
      if (const auto size = value.bytes(kMiB, kLargestVolume)) volume.size = size;
    },
    [](const Value& value, VolumeSpec& volume) {
      if (const auto vpu = value.integer(0, kMostVpu)) volume.vpu = static_cast<unsigned>(*vpu);
    },
    parse_per,
    read_iops<&Promise::read_iops>,
    read_iops<&Promise::write_iops>,
    read_rate<&Promise::read_throughput>,
    read_rate<&Promise::write_throughput>,
    parse_members,
    parse_layout};

}  // namespace

std::optional<double> parse_iops(const Value& value) {
  const auto count = value.count(Ops{1}, kMostIops);
  if (!count) return std::nullopt;
  return static_cast<double>(count->value);
}

void parse_expect(const Value& value, TargetDraft& draft) {
  constexpr auto kExpectKeys = std::to_array<std::string_view>({"fstype", "source", "volume_id"});
  Expectation& expect = draft.target.expect;
  for (const auto& [key, member] : value.fields(kExpectKeys)) {
    draft.add_source("expect." + key, member.place());
    set(key == "fstype"   ? expect.fs_type
        : key == "source" ? expect.source
                          : expect.volume_id,
        member.text());
  }
}

void parse_volume(const Value& value, TargetDraft& draft) {
  VolumeSpec& volume = draft.target.volume;
  for (const auto& [key, member] : value.fields(kKeys)) {
    draft.add_source("volume." + key, member.place());
    const auto index = std::find(kKeys.begin(), kKeys.end(), key) - kKeys.begin();
    kReaders[static_cast<std::size_t>(index)](member, volume);
  }
  if (volume.promise.known()) volume.promise.from = "config";
}

void parse_objective(const Value& value, TargetDraft& draft) {
  constexpr auto kObjectiveKeys = std::to_array<std::string_view>({"latency", "ratio"});
  Objective objective = draft.target.objective.value_or(Objective{});
  for (const auto& [key, member] : value.fields(kObjectiveKeys)) {
    draft.add_source("objective." + key, member.place());
    if (key == "latency")
      set(objective.latency, member.duration(microseconds(1), minutes(1)));
    else
      set(objective.ratio, member.percent(0.01, 0.99999));
  }
  draft.target.objective = objective;
}

}  // namespace storage_probe::config
