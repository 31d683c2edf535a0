// SPDX-License-Identifier: Apache-2.0
#include "config/parse_model.h"

#include <algorithm>
#include <array>
#include <utility>

namespace storage_probe::config {
namespace {

constexpr double kMostIops = 1e9;
constexpr std::size_t kMostRows = 64;  // of tiers, levels and the like
constexpr std::int64_t kMostVpu = 10'000;
constexpr Bytes kLargestVolume{1024 * kGiB.value * 1024};

// How the figures of a line are written: I/Os are plain numbers, throughput has units.
using ReadRate = std::optional<double> (*)(const Value&);

void read_small(const Value& value, Line& line, ReadRate rate) {
  constexpr auto kKeys = std::to_array<std::string_view>({"size", "most"});
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "size")
      set(line.small, member.bytes(kMiB, kLargestVolume));
    else
      set(line.most_small, rate(member));
  }
}

// A map, or one figure that no size changes.
Line read_line(const Value& value, ReadRate rate) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"base", "per_gib", "least", "most", "small"});
  Line line;
  if (value.is_text()) {
    set(line.base, rate(value));
    return line;
  }
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "small")
      read_small(member, line, rate);
    else if (key == "most")
      line.most = rate(member);
    else
      set(key == "base" ? line.base : key == "per_gib" ? line.per_gib : line.least, rate(member));
  }
  return line;
}

struct LineKey {
  std::string_view name;
  std::optional<Line> Lines::*line;
  ReadRate rate;
};
constexpr std::array<LineKey, 6> kLineKeys{{
    {"iops", &Lines::iops, plain_rate},
    {"throughput", &Lines::throughput, small_byte_rate},
    {"read_iops", &Lines::read_iops, plain_rate},
    {"write_iops", &Lines::write_iops, plain_rate},
    {"read_throughput", &Lines::read_throughput, small_byte_rate},
    {"write_throughput", &Lines::write_throughput, small_byte_rate},
}};

Lines read_lines(const Value& value) {
  std::array<std::string_view, kLineKeys.size()> known{};
  std::transform(kLineKeys.begin(), kLineKeys.end(), known.begin(),
                 [](const LineKey& key) { return key.name; });
  Lines lines;
  const Fields fields = value.fields(known);
  for (const LineKey& key : kLineKeys)
    if (const Value* member = fields.find(key.name)) lines.*key.line = read_line(*member, key.rate);
  return lines;
}

std::vector<BytesPerIo> read_bytes_per_io(const Value* value) {
  constexpr auto kKeys = std::to_array<std::string_view>({"each", "most"});
  std::vector<BytesPerIo> all;
  if (value == nullptr) return all;
  for (const Value& entry : value->list(kMostRows)) {
    BytesPerIo& added = all.emplace_back();
    for (const auto& [key, member] : entry.fields(kKeys)) {
      if (key == "each")
        set(added.each, member.bytes(Bytes{1}, kGiB));
      else
        set(added.most, small_byte_rate(member));
    }
  }
  return all;
}

// The two figures of a tier; both must be there.
void read_figure(const std::string& key, const Value& value, Promise& promise) {
  if (key == "iops") promise.iops = plain_rate(value);
  if (key == "throughput") promise.throughput = small_byte_rate(value);
}

TierModel::Tier read_tier(const Value& value) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"name", "size", "iops", "throughput", "burst"});
  constexpr auto kBurstKeys = std::to_array<std::string_view>({"iops", "throughput"});
  TierModel::Tier tier;
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "name") set(tier.name, member.text());
    if (key == "size") set(tier.size, member.bytes(kMiB, kLargestVolume));
    read_figure(key, member, tier.base);
    if (key != "burst") continue;
    for (const auto& [figure, burst] : member.fields(kBurstKeys))
      read_figure(figure, burst, tier.burst);
  }
  return tier;
}

TierModel read_tiers(const Fields& row) {
  TierModel model;
  if (const Value* const tiers = row.find("tiers"))
    for (const Value& entry : tiers->list(kMostRows)) {
      model.tiers.push_back(read_tier(entry));
      const std::size_t count = model.tiers.size();
      if (count > 1 && model.tiers[count - 2].size >= model.tiers.back().size)
        entry.refuse("is not larger than the tier before it: sort the tiers by size");
    }
  return model;
}

VpuModel::Level read_level(const Value& value) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"vpu", "confirmed", "iops", "throughput"});
  VpuModel::Level level;
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "vpu") set(level.vpu, member.integer(0, kMostVpu));
    if (key == "confirmed") set(level.confirmed, member.yes_or_no());
    if (key == "iops") level.iops = read_line(member, plain_rate);
    if (key == "throughput") level.throughput = read_line(member, small_byte_rate);
  }
  return level;
}

VpuModel read_levels(const Fields& row) {
  VpuModel model;
  if (const Value* const levels = row.find("levels"))
    for (const Value& entry : levels->list(kMostRows)) model.levels.push_back(read_level(entry));
  if (const Value* const vpu = row.find("vpu"))
    if (const auto number = vpu->integer(0, kMostVpu)) model.vpu = static_cast<unsigned>(*number);
  return model;
}

LinearModel read_linear(const Fields& row) {
  LinearModel model;
  if (const Value* const base = row.find("base")) model.base = read_lines(*base);
  if (const Value* const burst = row.find("burst")) model.burst = read_lines(*burst);
  model.throughput_of_iops = read_bytes_per_io(row.find("throughput_of_iops"));
  return model;
}

ProvisionedModel read_provisioned(const Fields& row) {
  constexpr auto kMostKeys = std::to_array<std::string_view>({"iops", "throughput"});
  ProvisionedModel model;
  model.throughput_of_iops = read_bytes_per_io(row.find("throughput_of_iops"));
  if (const Value* const ratio = row.find("iops_of_mib")) model.iops_of_mib = plain_rate(*ratio);
  if (const Value* const most = row.find("most")) {
    for (const auto& [key, member] : most->fields(kMostKeys)) {
      if (key == "iops") model.most_iops = plain_rate(member);
      if (key == "throughput") model.most_throughput = small_byte_rate(member);
    }
  }
  return model;
}

constexpr std::array<std::string_view, 5> kKinds{"custom", "provisioned", "linear", "tiers", "vpu"};
constexpr std::array<std::string_view, 3> kProvisionedKeys{"throughput_of_iops", "iops_of_mib",
                                                           "most"};
constexpr std::array<std::string_view, 3> kLinearKeys{"base", "burst", "throughput_of_iops"};
constexpr std::array<std::string_view, 1> kTierKeys{"tiers"};
constexpr std::array<std::string_view, 2> kVpuKeys{"levels", "vpu"};

}  // namespace

std::span<const std::string_view> model_kinds() { return kKinds; }

std::span<const std::string_view> keys_of_model(std::string_view kind) {
  if (kind == "provisioned") return kProvisionedKeys;
  if (kind == "linear") return kLinearKeys;
  if (kind == "tiers") return kTierKeys;
  if (kind == "vpu") return kVpuKeys;
  return {};
}

Model parse_model(std::string_view kind, const Fields& row) {
  if (kind == "provisioned") return read_provisioned(row);
  if (kind == "linear") return read_linear(row);
  if (kind == "tiers") return read_tiers(row);
  if (kind == "vpu") return read_levels(row);
  return CustomModel{};
}

std::optional<double> small_byte_rate(const Value& value) {
  const auto word = value.text();
  if (!word) return std::nullopt;
  const auto rate = parse_byte_rate(*word);
  if (rate) return *rate;
  value.refuse(rate.error().message);
  return std::nullopt;
}

std::optional<double> plain_rate(const Value& value) { return value.number(0, kMostIops); }

}  // namespace storage_probe::config
