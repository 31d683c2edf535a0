// SPDX-License-Identifier: Apache-2.0
// All that a scrape, the health check and the pages may know: immutable values, made by the event
// loop, read by the HTTP thread. Figures are cumulative since the config with their target was
// loaded.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/promise.h"
#include "model/target.h"
#include "model/terms.h"
#include "model/verdict.h"

namespace storage_probe {

// Upper limits of the exposed latency histogram's buckets; +Inf follows them.
inline constexpr std::array<Duration, 22> kHistogramLimits{
    std::chrono::microseconds{10},   std::chrono::microseconds{25},
    std::chrono::microseconds{50},   std::chrono::microseconds{100},
    std::chrono::microseconds{250},  std::chrono::microseconds{500},
    std::chrono::microseconds{750},  std::chrono::milliseconds{1},
    std::chrono::microseconds{1500}, std::chrono::microseconds{2500},
    std::chrono::milliseconds{5},    std::chrono::milliseconds{10},
    std::chrono::milliseconds{25},   std::chrono::milliseconds{50},
    std::chrono::milliseconds{100},  std::chrono::milliseconds{250},
    std::chrono::milliseconds{500},  std::chrono::seconds{1},
    std::chrono::milliseconds{2500}, std::chrono::seconds{5},
    std::chrono::seconds{10},        std::chrono::seconds{30}};

// A latency histogram with the exposition's buckets, added up over runs.
struct CumulativeLatency {
  std::array<std::uint64_t, kHistogramLimits.size() + 1> counts{};  // per bucket, not cumulative
  double sum_seconds = 0;
};

struct OperationResult {
  std::uint64_t ios = 0;
  double iops = 0;
  double throughput = 0;  // bytes per second
  // Only those that the sample can carry: 50 90 95 99 99.9, as the label `percentile` spells them.
  std::vector<std::pair<std::string, Duration>> percentiles;
  Duration max{};
};

// The figures of one finished run.
struct RunResult {
  WallTime ended;
  Duration duration{};  // of the measured window
  Engine engine = Engine::automatic;
  unsigned queue_depth = 1;
  PerOperation<std::optional<OperationResult>> operations;
  std::optional<double> effective_queue_depth;  // capacity probes
  std::optional<double> other_iops, other_throughput;
  Promise promise;            // what the run is compared with
  std::vector<Doubt> doubts;  // by weight
};

// What is known of a capacity probe's verdicts; cumulative where it counts.
struct VerdictStatus {
  // Verdict, reason and whose I/O it was, as often as it was given.
  using Counts = std::map<std::tuple<Verdict, Reason, Evidence>, std::uint64_t>;
  static constexpr std::size_t kRecent = 12;

  std::optional<Judgement> current;  // of the last finished run
  WallTime since;                    // when it came to this verdict and reason
  std::optional<bool> compliant;     // by the last one that was not inconclusive
  std::optional<WallTime> last_judged;
  bool confirmed_drop = false;
  std::optional<double> baseline_iops;  // median of recent good runs
  Counts counts;
  std::deque<Verdict> recent;  // the last kRecent that count, the newest last
};

struct ProbeStatus {
  ProbeSpec spec;
  Duration every{};
  std::optional<bool> last_succeeded;  // empty before the first run
  std::optional<WallTime> last_run;    // end of the last run, finished or not
  std::optional<WallTime> last_success;
  std::optional<WallTime> next_run;
  std::optional<RunResult> result;  // of the last finished run; empty once it is too old
  std::map<Outcome, std::uint64_t> runs;
  std::map<std::string, std::uint64_t> skipped;  // by reason
  PerOperation<Usage> spent;                     // bytes and ops
  PerOperation<CumulativeLatency> latency;
  VerdictStatus verdict;                     // of capacity probes
  std::optional<Duration> baseline_latency;  // median of recent runs, of latency probes
};

struct TargetStatus {
  std::string name;
  std::string path;
  std::map<std::string, std::string> labels;
  TargetState state = TargetState::unknown;
  std::string message;  // what is wrong and what cures it; empty when ready
  std::optional<WallTime> stuck_since;
  std::optional<std::string> held;  // by an operator: until when, and why
  MountIdentity identity;
  std::uint64_t identity_changes = 0;
  std::optional<bool> direct_io;
  Bytes file_bytes;
  Promise promise;  // what runs are judged against: the smaller of the parts in `terms`
  Terms terms;
  std::optional<std::pair<double, double>> burst_balance;  // 0 to 1, at least and at most
  std::optional<Objective> objective;
  std::uint64_t objective_good = 0, objective_bad = 0;  // I/Os of latency probes
  Usage budget_limit;                                   // allowance of 24 h
  Usage budget_used;
  Usage planned_per_day;  // what the configuration costs at most
  PerOperation<Usage> layout_spent;
  std::map<std::string, std::uint64_t> io_errors;  // by errno name
  std::uint64_t io_retries = 0;
  std::vector<ProbeStatus> probes;
};

struct ExporterStatus {
  std::string config_sha256;
  bool last_reload_succeeded = true;
  WallTime last_reload_success;
  unsigned workers_running = 0;
  unsigned workers_stuck = 0;
};

struct Snapshot {
  bool ready = false;
  WallTime taken;
  bool histograms_for_capacity = false;  // metrics.histograms
  bool histograms_for_latency = true;
  std::vector<TargetStatus> targets;
  ExporterStatus exporter;
};

}  // namespace storage_probe
