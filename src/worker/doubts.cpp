// SPDX-License-Identifier: Apache-2.0
#include "worker/doubts.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace storage_probe::worker {
namespace {

constexpr double kLeastSeen = 0.95;
// A rate of independent events is known to 10 %, which is how far below its promise a volume may
// be, from 400 of them (1.96 / sqrt(400)); I/Os come in clusters, so it takes more.
constexpr std::uint64_t kEnoughIos = 1000;
// Fewer will do when the windows of a run agree: throttled volumes are even. As many as the 90th
// percentile needs, and as the windows of a mean that is an estimate at all.
constexpr std::uint64_t kFewestIos = 30;
constexpr std::size_t kFewestWindows = 5;
constexpr double kAgreement = 0.05;
constexpr double kBusyThread = 0.85;  // of a processor
constexpr double kStolen = 0.05;      // of the machine
constexpr double kWaited = 0.1;       // of the time, for a processor
constexpr double kDepthShare = 0.7;
constexpr unsigned kFullQueues = 4;  // the fewest I/Os, in depths, that tell how full it was
constexpr double kReachable = 1.1;   // of the promise

std::uint64_t ios_of(const Measurement& measured) {
  return measured.operations[Operation::read].ios + measured.operations[Operation::write].ios;
}

// The clock stepped while it ran, or its figures are none: an I/O that took no time, or longer than
// all of the run.
bool is_clock_suspect(const Measurement& measured) {
  if (measured.clock_suspect || measured.duration > measured.elapsed) return true;
  if (measured.duration <= Duration{} && ios_of(measured) > 0) return true;
  return std::any_of(kOperations.begin(), kOperations.end(), [&](Operation operation) {
    const LatencyHistogram& latency = measured.operations[operation].latency;
    return latency.count() > 0 && (latency.min() <= Duration{} || latency.max() > measured.elapsed);
  });
}

bool is_cache_suspect(const ProbeSpec& spec, const RunFacts& facts, const Background& background) {
  switch (facts.witness) {
    case RunFacts::Witness::none:
      return background.has_holes || background.caches_direct_io;
    case RunFacts::Witness::server:  // which reads holes from nowhere, too
      return background.has_holes || is_short(spec, facts);
    case RunFacts::Witness::device:
      return is_short(spec, facts);
    case RunFacts::Witness::lost:
      return true;
  }
  return true;
}

bool has_too_few_samples(const ProbeSpec& spec, const Measurement& measured) {
  const std::uint64_t ios = ios_of(measured);
  const auto& profile = measured.profile;
  // Too short to be cut into windows: the less there is to see, the less it proves.
  if (ios < kFewestIos || !profile) return true;
  // The rate of large I/Os in a row is evened out by their size.
  if (ios >= kEnoughIos || spec.pattern == Pattern::sequential) return false;
  return profile->rates.size() < kFewestWindows || profile->mean_error > kAgreement;
}

bool is_cpu_limited(const Measurement& measured, const RunFacts& facts) {
  return facts.stolen > kStolen || facts.waited > kWaited ||
         to_seconds(measured.cpu_busiest) > kBusyThread * to_seconds(measured.duration);
}

// Whether our own control group allows less than is promised, and the run was below that as well.
bool is_cgroup_limited(const Measurement& measured, const Promise& cgroup, const Promise& promise) {
  const double seconds = to_seconds(measured.duration);
  if (seconds <= 0) return false;
  const auto binds = [&](double done, const std::optional<double>& limit,
                         const std::optional<double>& both, const std::optional<double>& own) {
    const auto& promised = own ? own : both;
    return limit && promised && *limit < *promised && done / seconds < *promised;
  };
  const OperationStats& reads = measured.operations[Operation::read];
  const OperationStats& writes = measured.operations[Operation::write];
  const auto bytes = [](const OperationStats& stats) {
    return static_cast<double>(stats.bytes.value);
  };
  const bool reads_are =
      reads.ios > 0 &&
      (binds(static_cast<double>(reads.ios), cgroup.read_iops, promise.iops, promise.read_iops) ||
       binds(bytes(reads), cgroup.read_throughput, promise.throughput, promise.read_throughput));
  const bool writes_are =
      writes.ios > 0 &&
      (binds(static_cast<double>(writes.ios), cgroup.write_iops, promise.iops,
             promise.write_iops) ||
       binds(bytes(writes), cgroup.write_throughput, promise.throughput, promise.write_throughput));
  return reads_are || writes_are;
}

// Whether this many in flight cannot make the promised rate even on an idle volume, and have not.
bool is_promise_out_of_reach(const ProbeSpec& spec, const Measurement& measured,
                             const Background& background) {
  if (!background.idle_latency || *background.idle_latency <= Duration{}) return false;
  if (spec.pattern != Pattern::random) return false;  // the idle latency is one of small I/Os
  const auto promised = promised_iops(spec, background.promise);
  if (!promised || rate_of(measured) >= *promised) return false;
  return spec.queue_depth.value_or(1) / to_seconds(*background.idle_latency) <
         kReachable * *promised;
}

}  // namespace

std::optional<double> promised_iops(const ProbeSpec& spec, const Promise& promise) {
  if (spec.read_percent == 100 && promise.read_iops) return promise.read_iops;
  if (spec.read_percent == 0 && promise.write_iops) return promise.write_iops;
  return promise.iops;
}

double rate_of(const Measurement& measured) {
  if (measured.duration <= Duration{}) return 0;
  return static_cast<double>(ios_of(measured)) / to_seconds(measured.duration);
}

bool is_depth_limited(const ProbeSpec& spec, const Measurement& measured) {
  const unsigned depth = spec.queue_depth.value_or(1);
  // What was still in flight at the end is not in the latencies: of a volume that answers slowly
  // that is too large a part.
  if (ios_of(measured) < std::uint64_t{kFullQueues} * depth) return false;
  return depth_in_use(spec, measured) < kDepthShare * depth;
}

bool is_short(const ProbeSpec& spec, const RunFacts& facts) {
  const auto falls_short = [](std::uint64_t counted, std::uint64_t done) {
    return static_cast<double>(counted) < kLeastSeen * static_cast<double>(done);
  };
  if (falls_short(facts.counted.bytes.value, facts.ours.bytes.value)) return true;
  return spec.pattern == Pattern::random && facts.witness == RunFacts::Witness::device &&
         falls_short(facts.counted.ops.value, facts.ours.ops.value);
}

std::vector<Doubt> find_doubts(const ProbeSpec& spec, const Measurement& measured,
                               const RunFacts& facts, const Background& background) {
  if (spec.kind == Kind::latency) return {};
  std::vector<Doubt> doubts;
  const auto add = [&](bool applies, Doubt doubt) {
    if (applies) doubts.push_back(doubt);
  };
  add(is_clock_suspect(measured), Doubt::clock_suspect);
  add(is_cache_suspect(spec, facts, background), Doubt::cache_suspect);
  // Of a run that was ended early, or met fresh blocks, this is why it has few.
  const bool is_contended = measured.stopped_by == StopReason::busy;
  const bool is_explained = is_contended || background.has_met_fresh_blocks;
  add(!is_explained && has_too_few_samples(spec, measured), Doubt::too_few_samples);
  add(is_contended, Doubt::contended);
  add(is_cgroup_limited(measured, facts.cgroup, background.promise), Doubt::cgroup_limited);
  add(is_cpu_limited(measured, facts), Doubt::cpu_limited);
  add(is_depth_limited(spec, measured) || is_promise_out_of_reach(spec, measured, background),
      Doubt::queue_depth_limited);
  add(background.has_met_fresh_blocks, Doubt::init_suspect);
  add(measured.profile && !measured.profile->steady, Doubt::unsteady);
  return doubts;
}

}  // namespace storage_probe::worker
