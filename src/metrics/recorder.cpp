// SPDX-License-Identifier: Apache-2.0
#include "metrics/recorder.h"

#include <algorithm>
#include <utility>

#include "model/percentile.h"

namespace storage_probe::metrics {
namespace {

bool can_do(const ProbeSpec& spec, Operation op) {
  switch (op) {
    case Operation::read:
      return spec.read_percent > 0;
    case Operation::write:
      return spec.writes();
    case Operation::fsync:
      return false;  // a result without a single fsync says nothing about fsyncs
  }
  return false;
}

OperationResult operation_result(const OperationStats& stats, double seconds) {
  OperationResult result;
  result.ios = stats.ios;
  if (seconds > 0) {
    result.iops = static_cast<double>(stats.ios) / seconds;
    result.throughput = static_cast<double>(stats.bytes.value) / seconds;
  }
  for (const Percentile& percentile : kPercentiles) {
    if (stats.latency.count() < percentile.min_samples) break;
    if (const auto latency = stats.latency.quantile(percentile.quantile))
      result.percentiles.emplace_back(percentile.name, *latency);
  }
  result.max = stats.latency.max();
  return result;
}

RunResult run_result(const ProbeReport& report, const Promise& promise) {
  RunResult result;
  result.ended = report.ended;
  result.duration = report.measured.duration;
  result.engine = report.engine;
  result.queue_depth = report.spec.queue_depth.value_or(1);
  result.promise = promise;
  result.doubts = report.doubts;
  const double seconds = to_seconds(result.duration);
  for (const Operation op : kOperations) {
    const OperationStats& stats = report.measured.operations[op];
    if (stats.ios > 0 || stats.latency.count() > 0 || can_do(report.spec, op))
      result.operations[op] = operation_result(stats, seconds);
  }
  if (report.spec.kind == Kind::capacity && seconds > 0)
    result.effective_queue_depth = depth_in_use(report.spec, report.measured);
  if (report.device) {
    result.other_iops = report.device->other_iops;
    result.other_throughput = report.device->other_throughput;
  }
  return result;
}

void add_up(const LatencyHistogram& run, CumulativeLatency& total) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < kHistogramLimits.size(); ++i) {
    const std::uint64_t up_to = run.count_up_to(kHistogramLimits[i]);
    total.counts[i] += up_to - below;
    below = up_to;
  }
  total.counts.back() += run.count() - below;
  total.sum_seconds += run.sum_seconds();
}

// I/Os that were due and never answered are beyond any objective: of a run that was killed all of
// them, of others those that failed.
void record_objective(const ProbeReport& report, TargetStatus& target) {
  if (!target.objective || report.spec.kind != Kind::latency) return;
  if (report.outcome == Outcome::timed_out || report.outcome == Outcome::stuck) {
    target.objective_bad +=
        static_cast<std::uint64_t>(report.spec.rate * to_seconds(report.spec.limits.time));
    return;
  }
  for (const Operation op : {Operation::read, Operation::write}) {
    const LatencyHistogram& latency = report.measured.operations[op].latency;
    const std::uint64_t good = latency.count_up_to(target.objective->latency);
    target.objective_good += good;
    target.objective_bad += latency.count() - good;
  }
  for (const auto& [errno_text, times] : report.measured.errors) target.objective_bad += times;
}

void record_run(const ProbeReport& report, const Promise& promise, ProbeStatus& probe) {
  ++probe.runs[report.outcome];
  probe.last_run = report.ended;
  probe.last_succeeded = report.outcome == Outcome::ok;
  for (const Operation op : kOperations) probe.spent[op] += report.measured.used[op];
  if (report.outcome != Outcome::ok) return;
  probe.last_success = report.ended;
  probe.result = run_result(report, promise);
  for (const Operation op : kOperations)
    add_up(report.measured.operations[op].latency, probe.latency[op]);
}

// The state that a report proves; empty when the run ended before it could know.
std::optional<TargetState> state_of(const ProbeReport& report) {
  if (report.outcome == Outcome::ok) return TargetState::ready;
  if (report.outcome == Outcome::stuck) return TargetState::stuck;
  // A run that met an error after a good preflight says so in its failure alone.
  if (report.failure) {
    const auto named = parse_target_state(report.failure->code);
    if (named && *named != TargetState::unknown) return named;
  }
  if (report.state != TargetState::unknown) return report.state;
  return std::nullopt;
}

void record_state(const ProbeReport& report, TargetStatus& target) {
  const auto state = state_of(report);
  if (state) target.state = *state;
  if (target.state == TargetState::ready)
    target.message.clear();
  else if (report.failure && (state || target.state == TargetState::unknown))
    target.message = report.failure->message;
  if (report.direct_io) target.direct_io = true;
  if (target.state == TargetState::direct_io_rejected) target.direct_io = false;
  // A worker that was killed could not tell the size; 0 from any other means that there is none.
  const bool looked = report.outcome == Outcome::ok || report.outcome == Outcome::failed;
  if (report.file_bytes.value > 0 || (looked && report.state != TargetState::unknown))
    target.file_bytes = report.file_bytes;
}

bool is_known(const MountIdentity& identity) {
  return !identity.volume_id.empty() || !identity.device.empty() || !identity.source.empty();
}

void record_identity(const ProbeReport& report, TargetStatus& target) {
  // Where nothing is mounted the report names the file system below, which is not the target's.
  if (!is_known(report.identity) || report.state == TargetState::not_mounted) return;
  if (is_known(target.identity) && !same_volume(target.identity, report.identity))
    ++target.identity_changes;
  target.identity = report.identity;
}

bool too_old(const ProbeStatus& probe, WallTime now) {
  constexpr Duration kShortest = std::chrono::minutes{3};
  return probe.result && now - probe.result->ended > std::max(3 * probe.every, kShortest);
}

std::vector<ProbeStatus> configured_probes(const Target& target,
                                           const std::vector<ProbeStatus>& old) {
  std::vector<ProbeStatus> probes;
  probes.reserve(target.probes.size());
  for (const PlannedProbe& planned : target.probes) {
    const auto known = std::find_if(old.begin(), old.end(), [&](const ProbeStatus& probe) {
      return probe.spec.name == planned.spec.name;
    });
    ProbeStatus& probe = probes.emplace_back(known == old.end() ? ProbeStatus{} : *known);
    probe.spec = planned.spec;
    probe.every = planned.every;
  }
  return probes;
}

}  // namespace

void Recorder::configure(const std::vector<Target>& targets) {
  std::vector<Entry> entries;
  entries.reserve(targets.size());
  for (const Target& target : targets) {
    const Entry* known = entry(target.name);
    Entry& added = entries.emplace_back(known == nullptr ? Entry{} : *known);
    TargetStatus& status = added.status;
    const std::string path = target.path.empty() ? target.device.string() : target.path.string();
    if (status.path != path) {
      status.state = TargetState::unknown;
      status.message.clear();
      status.identity = {};
      status.direct_io.reset();
      status.file_bytes = {};
    }
    status.name = target.name;
    status.path = path;
    status.labels = target.labels;
    status.promise = target.volume.promise;
    status.terms = {};
    status.terms.type = target.volume.type;
    status.terms.volume = target.volume.promise;
    status.objective = target.objective;
    status.probes = configured_probes(target, status.probes);
    added.volume_type = target.volume.type;
    if (!added.volume_type.empty()) status.identity.volume_type = added.volume_type;
  }
  entries_ = std::move(entries);
}

void Recorder::record(const ProbeReport& report) {
  Entry* found = entry(report.target);
  if (found == nullptr) return;
  TargetStatus& target = found->status;
  for (ProbeStatus& probe : target.probes)
    if (probe.spec.name == report.spec.name) record_run(report, target.promise, probe);
  for (const Operation op : kOperations) target.layout_spent[op] += report.layout[op];
  for (const auto& [errno_text, times] : report.measured.errors)
    target.io_errors[errno_text] += times;
  target.io_retries += report.measured.retries;
  record_objective(report, target);
  record_state(report, target);
  record_identity(report, target);
  if (!found->volume_type.empty()) target.identity.volume_type = found->volume_type;
}

void Recorder::judged(const std::string& target, const std::string& probe,
                      const Judgement& judgement, Evidence evidence, WallTime when) {
  TargetStatus* const status = find(target);
  if (status == nullptr) return;
  for (ProbeStatus& known : status->probes) {
    if (known.spec.name != probe) continue;
    VerdictStatus& verdict = known.verdict;
    const bool is_news = !verdict.current || verdict.current->verdict != judgement.verdict ||
                         verdict.current->reason != judgement.reason;
    if (is_news) verdict.since = when;
    verdict.current = judgement;
    if (judgement.verdict != Verdict::inconclusive) {
      verdict.compliant = judgement.verdict == Verdict::compliant;
      verdict.last_judged = when;
    }
    ++verdict.counts[{judgement.verdict, judgement.reason, evidence}];
    verdict.recent.push_back(judgement.verdict);
    if (verdict.recent.size() > VerdictStatus::kRecent) verdict.recent.pop_front();
  }
}

void Recorder::skipped(const std::string& target, const std::string& probe,
                       std::string_view reason) {
  TargetStatus* status = find(target);
  if (status == nullptr) return;
  for (ProbeStatus& known : status->probes)
    if (known.spec.name == probe) ++known.skipped[std::string(reason)];
}

Recorder::Entry* Recorder::entry(const std::string& target) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& candidate) {
    return candidate.status.name == target;
  });
  return found == entries_.end() ? nullptr : &*found;
}

TargetStatus* Recorder::find(const std::string& target) {
  Entry* found = entry(target);
  return found == nullptr ? nullptr : &found->status;
}

std::vector<TargetStatus> Recorder::statuses(WallTime now) const {
  std::vector<TargetStatus> copies;
  copies.reserve(entries_.size());
  for (const Entry& known : entries_) {
    TargetStatus& copy = copies.emplace_back(known.status);
    for (ProbeStatus& probe : copy.probes)
      if (too_old(probe, now)) probe.result.reset();
  }
  return copies;
}

bool Recorder::aged_out_between(WallTime before, WallTime now) const {
  for (const Entry& known : entries_)
    for (const ProbeStatus& probe : known.status.probes)
      if (too_old(probe, before) != too_old(probe, now)) return true;
  return false;
}

}  // namespace storage_probe::metrics
