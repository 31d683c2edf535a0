// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <initializer_list>

#include "config/config.h"

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

// What two seconds at the promised rate take. Where one of both figures is not promised the other
// one stands in, so that a limit nobody thought of does not end the probe first.
Usage two_seconds(const Promise& promise, Bytes block_size) {
  const auto block = static_cast<double>(block_size.value);
  Usage usage;
  if (promise.iops || promise.throughput) {
    usage.ops.value = two_seconds_of(promise.iops.value_or(promise.throughput.value_or(0) / block));
    usage.bytes.value =
        two_seconds_of(promise.throughput.value_or(promise.iops.value_or(0) * block));
  }
  return usage;
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

std::vector<ProbeDraft> default_probes(Profile profile, const Place& place) {
  std::vector<ProbeDraft> drafts;
  for (const char* const name : {"latency", "randread", "seqread"}) {
    const ProbeSpec spec = preset(name);
    drafts.push_back({{spec, default_interval(spec, profile)}, place, {}});
  }
  return drafts;
}

void forget_file(TargetDraft& draft) {
  draft.target.file = {};
  draft.target.space = {};
  draft.target.expect.fs_type.clear();
  if (!draft.own_set.has("writes")) draft.target.writes = false;
}

void complete(ProbeDraft& draft, const Promise& promise) {
  ProbeSpec& spec = draft.planned.spec;
  const bool capacity = spec.kind == Kind::capacity;
  Usage limits = preset(capacity ? "randread" : "latency").limits;
  if (capacity) {
    const Usage owed = two_seconds(promise, spec.block_size);
    limits.ops = std::max(limits.ops, owed.ops);
    limits.bytes = std::max(limits.bytes, owed.bytes);
    spec.rate = ProbeSpec{}.rate;
  } else {
    spec.queue_depth.reset();
    spec.rings.reset();
  }
  if (!draft.set.has("limits.time")) spec.limits.time = limits.time;
  if (!draft.set.has("limits.ios")) spec.limits.ops = limits.ops;
  if (!draft.set.has("limits.bytes")) spec.limits.bytes = limits.bytes;
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
  return config;
}

}  // namespace storage_probe::config
