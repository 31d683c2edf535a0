// SPDX-License-Identifier: Apache-2.0
#include "service/make_job.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "budget/metering.h"
#include "model/allowance.h"
#include "model/worst_case.h"
#include "schedule/plan.h"

namespace storage_probe::service {
namespace {

constexpr std::chrono::hours kIdleLatencyAge{24};
// From when a run is due until it asks, on a machine that is busy.
constexpr std::chrono::seconds kStartingTakes{2};

// Of others, on average: with more of them a latency is no idle one.
constexpr double kIdleInFlight = 0.5;

}  // namespace

// One that others have made longer would ask for a deeper queue, behind which they wait longer
// still.
std::optional<Duration> idle_latency(const TargetStatus* status, WallTime now) {
  if (status == nullptr) return std::nullopt;
  for (const ProbeStatus& probe : status->probes) {
    if (probe.spec.kind != Kind::latency || !probe.result) continue;
    if (now - probe.result->ended > kIdleLatencyAge) continue;
    const auto& read = probe.result->operations[Operation::read];
    if (!read || read->percentiles.empty()) continue;
    const Duration median = read->percentiles.front().second;
    const double others = probe.result->other_iops.value_or(0) * to_seconds(median);
    if (others < kIdleInFlight) return median;
  }
  return std::nullopt;
}

Job make_job(const Target& target, const ProbeSpec& spec, const TargetStatus* status,
             WallTime now) {
  Job job;
  job.target = target;
  job.spec = spec;
  if (spec.kind == Kind::capacity) {
    job.idle_latency = idle_latency(status, now);
    job.depth_is_automatic = !spec.queue_depth;
    job.spec.queue_depth = schedule::queue_depth(spec, target.volume, job.idle_latency);
  }
  job.layout_per_day =
      schedule::layout_per_day(target, allowance_of(target.budget, target.volume.promise));
  job.layout_rate = schedule::layout_rate(target.volume.promise);
  return job;
}

FleetTerms fleet_terms(const Target& target, const PlannedProbe& probe, const Usage& reserved) {
  const std::string& type = target.volume.type;
  const Usage run = worst_case(target, probe.spec);
  Usage layout{std::max(reserved.time - run.time, Duration{}), reserved.bytes - run.bytes,
               reserved.ops - run.ops};
  layout.bytes = budget::metered_bytes(type, Operation::write, layout);
  FleetTerms terms;
  terms.allowance = allowance_of(target.budget, target.volume.promise);
  terms.worst_case = budget::metered(type, probe.spec, run);
  terms.layout = layout;
  terms.returns_in = schedule::lease_retry(probe.every) + kStartingTakes;
  return terms;
}

}  // namespace storage_probe::service
