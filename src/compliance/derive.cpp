// SPDX-License-Identifier: Apache-2.0
#include "compliance/derive.h"

#include <algorithm>

namespace storage_probe::compliance {
namespace {

constexpr const char* kSize = "its size is not known: set volume.size";
constexpr const char* kBought =
    "what was bought is not known: set volume.iops and volume.throughput, or list the volume in a "
    "file of promises.files";

bool has_iops(const Promise& promise) {
  return promise.iops || promise.read_iops || promise.write_iops;
}

bool has_throughput(const Promise& promise) {
  return promise.throughput || promise.read_throughput || promise.write_throughput;
}

std::optional<double> at(const std::optional<Line>& line, const std::optional<Bytes>& size) {
  return line ? line->at(size) : std::nullopt;
}

Promise at(const Lines& lines, const std::optional<Bytes>& size) {
  Promise promise;
  promise.iops = at(lines.iops, size);
  promise.throughput = at(lines.throughput, size);
  promise.read_iops = at(lines.read_iops, size);
  promise.write_iops = at(lines.write_iops, size);
  promise.read_throughput = at(lines.read_throughput, size);
  promise.write_throughput = at(lines.write_throughput, size);
  return promise;
}

std::optional<double> throughput_of(const std::vector<BytesPerIo>& rules,
                                    const std::optional<double>& iops) {
  if (rules.empty() || !iops) return std::nullopt;
  double most = 0;
  for (const BytesPerIo& rule : rules)
    most = std::max(most, std::min(rule.most, *iops * static_cast<double>(rule.each.value)));
  return most;
}

Derived from(const CustomModel& /*model*/, const VolumeSpec& /*volume*/) {
  return {{}, {}, true, kBought};
}

Derived from(const ProvisionedModel& model, const VolumeSpec& volume) {
  Derived derived;
  derived.base.throughput = throughput_of(model.throughput_of_iops, volume.promise.iops);
  if (model.iops_of_mib && volume.promise.throughput)
    derived.base.iops =
        *model.iops_of_mib * *volume.promise.throughput / static_cast<double>(kMiB.value);
  derived.missing = kBought;
  return derived;
}

Derived from(const LinearModel& model, const VolumeSpec& volume) {
  Derived derived;
  derived.base = at(model.base, volume.size);
  derived.burst = at(model.burst, volume.size);
  const auto& iops = volume.promise.iops ? volume.promise.iops : derived.base.iops;
  if (!derived.base.throughput)
    derived.base.throughput = throughput_of(model.throughput_of_iops, iops);
  if (!volume.size) derived.missing = kSize;
  return derived;
}

Derived from(const TierModel& model, const VolumeSpec& volume) {
  if (!volume.size) return {{}, {}, true, kSize};
  const auto tier =
      std::find_if(model.tiers.begin(), model.tiers.end(),
                   [&](const TierModel::Tier& each) { return *volume.size <= each.size; });
  if (tier == model.tiers.end())
    return {{},
            {},
            true,
            "no tier of the catalogue is as large as the volume: " +
                std::string("set volume.iops and volume.throughput")};
  return {tier->base, tier->burst, true, ""};
}

Derived from(const VpuModel& model, const VolumeSpec& volume) {
  const auto vpu = model.vpu ? model.vpu : volume.vpu;
  if (!vpu) return {{}, {}, true, "its performance units are not known: set volume.vpu"};
  const auto level = std::find_if(model.levels.begin(), model.levels.end(),
                                  [&](const VpuModel::Level& each) { return each.vpu == *vpu; });
  if (level == model.levels.end())
    return {{},
            {},
            true,
            "the catalogue has no level of " + std::to_string(*vpu) +
                " performance units: set volume.iops and volume.throughput"};
  Derived derived;
  derived.base.iops = level->iops.at(volume.size);
  derived.base.throughput = level->throughput.at(volume.size);
  derived.is_confirmed = level->confirmed;
  if (!volume.size) derived.missing = kSize;
  return derived;
}

// A burst that is not above the base is none.
void drop_no_burst(std::optional<double>& burst, const std::optional<double>& base) {
  if (!base || (burst && *burst <= *base)) burst.reset();
}

}  // namespace

Promise completed(const Promise& said, const Promise& otherwise) {
  Promise whole = said;
  if (!has_iops(said)) {
    whole.iops = otherwise.iops;
    whole.read_iops = otherwise.read_iops;
    whole.write_iops = otherwise.write_iops;
  }
  if (!has_throughput(said)) {
    whole.throughput = otherwise.throughput;
    whole.read_throughput = otherwise.read_throughput;
    whole.write_throughput = otherwise.write_throughput;
  }
  if (!said.known()) whole.from = otherwise.from;
  return whole;
}

Derived derive(const VolumeType& type, const VolumeSpec& volume) {
  Derived derived = std::visit([&](const auto& model) { return from(model, volume); }, type.model);
  const Promise base = completed(volume.promise, derived.base);
  drop_no_burst(derived.burst.iops, base.iops);
  drop_no_burst(derived.burst.throughput, base.throughput);
  if (has_iops(base) && has_throughput(base)) derived.missing.clear();
  if (derived.base.known()) derived.base.from = "derived";
  if (derived.burst.known()) derived.burst.from = "derived";
  return derived;
}

}  // namespace storage_probe::compliance
