// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <initializer_list>

#include "config/catalogue.h"
#include "config/config.h"
#include "model/allowance.h"

namespace storage_probe::config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

ProbeSpec preset(std::string_view name) {
  const ProbeSpec* const found = find_preset(name);
  assert(found != nullptr);
  return *found;
}

std::uint64_t two_seconds_of(double per_second) {
  return static_cast<std::uint64_t>(std::ceil(2 * per_second));
}

// What two seconds at the promised rate take. The figure by which the probe's pattern is judged
// stands in for the other one where that is not promised, so that a limit nobody thought of does
// not end the probe first.
Usage two_seconds(const Promise& promise, const ProbeSpec& spec) {
  const auto block = static_cast<double>(spec.block_size.value);
  double iops = promise.iops.value_or(0);
  double throughput = promise.throughput.value_or(0);
  switch (spec.pattern) {
    case Pattern::random:
      if (!promise.throughput) throughput = iops * block;
      break;
    case Pattern::sequential:
      if (!promise.iops) iops = throughput / block;
      break;
  }
  return {{}, Bytes{two_seconds_of(throughput)}, Ops{two_seconds_of(iops)}};
}

// The limits of a capacity probe that nobody has set.
void leave_room(PlannedProbe& planned, const Target& target) {
  ProbeSpec& spec = planned.spec;
  const Promise& promise = target.volume.promise;
  const Usage limits = preset("randread").limits;
  const Usage owed = two_seconds(promise, spec);
  const Usage allowance = allowance_of(target.budget, promise);
  // At least one I/O: a limit of 0 would be none.
  if (planned.has_default_ios)
    spec.limits.ops =
        std::max({std::min(limits.ops, Ops{allowance.ops.value / 4}), owed.ops, Ops{1}});
  if (planned.has_default_bytes)
    spec.limits.bytes = std::max(
        {std::min(limits.bytes, Bytes{allowance.bytes.value / 4}), owed.bytes, spec.block_size});
}

PlannedProbe small(std::string_view name, Duration every, Usage limits) {
  PlannedProbe planned{preset(name), every};
  planned.spec.limits = limits;
  return planned;
}

}  // namespace

Duration default_interval(const ProbeSpec& spec, Profile profile) {
  if (spec.kind == Kind::latency) return minutes(1);
  switch (profile) {
    case Profile::safe:
      return hours(6);
    case Profile::full:
      return spec.pattern == Pattern::random ? Duration(minutes(15)) : Duration(hours(1));
  }
  return hours(6);
}

BudgetRule default_budget(Profile profile) {
  BudgetRule budget;
  if (profile == Profile::full) {
    budget.bytes_per_day = Bytes{64 * kGiB.value};
    budget.ios_per_day = Ops{10'000'000};
  }
  return budget;
}

std::vector<ProbeDraft> default_probes(Profile profile, const Place& place,
                                       const VolumeType* type) {
  std::vector<ProbeDraft> drafts;
  for (const char* const name : {"latency", "randread", "seqread"}) {
    const ProbeSpec spec = preset(name);
    if (type != nullptr && type->is_hdd && spec.pattern == Pattern::random) continue;
    drafts.push_back({{spec, default_interval(spec, profile)}, place, {}});
  }
  return drafts;
}

void drop_inherited_file(TargetDraft& draft) {
  ProbeFileSpec& file = draft.target.file;
  if (file.mode == ProbeFileSpec::Mode::existing)
    file = {file.mode, {}, ProbeFileSpec{}.directory, false, file.path};
  if (!draft.own_set.has("device")) return;
  file = {};
  draft.target.space = {};
  draft.target.expect.fs_type.clear();
  if (!draft.own_set.has("writes")) draft.target.writes = false;
}

void complete(ProbeDraft& draft, const Target& target, const VolumeType* type) {
  PlannedProbe& planned = draft.planned;
  ProbeSpec& spec = planned.spec;
  planned.has_default_ios = !draft.set.has("limits.ios");
  planned.has_default_bytes = !draft.set.has("limits.bytes");
  const bool capacity = spec.kind == Kind::capacity;
  if (!draft.set.has("limits.time"))
    spec.limits.time = preset(capacity ? "randread" : "latency").limits.time;
  if (!capacity) {
    spec.queue_depth.reset();
    spec.rings.reset();
    if (planned.has_default_ios) spec.limits.ops = {};
    if (planned.has_default_bytes) spec.limits.bytes = {};
    return;
  }
  spec.rate = ProbeSpec{}.rate;
  const bool is_sequential = spec.pattern == Pattern::sequential;
  if (is_sequential && type != nullptr && !draft.set.has("block_size"))
    spec.block_size = std::max(spec.block_size, std::min(type->io_cap, kMiB));
  leave_room(planned, target);
}

Target with_promise(const Target& target, const Promise& promise) {
  Target changed = target;
  changed.volume.promise = promise;
  for (PlannedProbe& planned : changed.probes)
    if (planned.spec.kind == Kind::capacity) leave_room(planned, changed);
  return changed;
}

Config embedded_default(const std::filesystem::path& storage_path) {
  Target target;
  target.name = "default";
  target.path = storage_path;
  target.any_directory = true;
  target.file.size = Bytes{64 * kMiB.value};
  target.budget.bytes_per_day = Bytes{2 * kGiB.value};
  target.budget.ios_per_day = Ops{500'000};
  const Usage capacity{seconds(1), Bytes{64 * kMiB.value}, Ops{10'000}};
  target.probes = {small("randread", hours(6), capacity), small("seqread", hours(6), capacity),
                   small("latency", minutes(1), {seconds(2), {}, {}})};
  Config config;
  config.targets.push_back(std::move(target));
  config.catalogue = built_in_catalogue();
  return config;
}

}  // namespace storage_probe::config
