// SPDX-License-Identifier: Apache-2.0
// What the runs of capacity probes prove about their volumes.
#include <algorithm>
#include <array>

#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {
namespace {

// A capacity probe; latency probes are never judged.
struct VerdictView {
  const ProbeStatus& status;
  const RunResult* result;  // null when there is none, or none young enough
  Subject subject;
};

// A probe of either kind.
struct BaselineView {
  const ProbeStatus& status;
  Subject subject;
};

// What a run with this mix is judged against; empty where the provider promises reads and writes
// apart and the run mixes them.
std::optional<double> promised(const ProbeSpec& spec, std::optional<double> total,
                               std::optional<double> reads, std::optional<double> writes) {
  if (spec.read_percent == 100 && reads) return reads;
  if (spec.read_percent == 0 && writes) return writes;
  return total;
}

void emit_promise_iops(const VerdictView& probe, Samples& samples) {
  if (probe.result == nullptr) return;
  const Promise& promise = probe.result->promise;
  samples.add(promised(probe.status.spec, promise.iops, promise.read_iops, promise.write_iops));
}

void emit_promise_throughput(const VerdictView& probe, Samples& samples) {
  if (probe.result == nullptr) return;
  const Promise& promise = probe.result->promise;
  samples.add(promised(probe.status.spec, promise.throughput, promise.read_throughput,
                       promise.write_throughput));
}

void emit_ratio(const VerdictView& probe, Samples& samples) {
  const auto& current = probe.status.verdict.current;
  if (probe.result == nullptr || !current) return;
  samples.add(current->iops_ratio, {{"resource", "iops"}});
  samples.add(current->throughput_ratio, {{"resource", "throughput"}});
}

void emit_verdict(const VerdictView& probe, Samples& samples) {
  const auto& current = probe.status.verdict.current;
  if (!current) return;
  samples.add(1.0, {{"verdict", to_text(current->verdict)}, {"reason", to_text(current->reason)}});
}

void emit_counts(const VerdictView& probe, Samples& samples) {
  auto counts = probe.status.verdict.counts;
  counts.try_emplace({Verdict::compliant, Reason::ok, Evidence::probe}, 0);
  for (const auto& [key, times] : counts) {
    const auto& [verdict, reason, evidence] = key;
    samples.add(times, {{"verdict", to_text(verdict)},
                        {"reason", to_text(reason)},
                        {"source", to_text(evidence)}});
  }
}

void emit_recent(const VerdictView& probe, Samples& samples) {
  const auto& recent = probe.status.verdict.recent;
  for (const Verdict verdict : {Verdict::compliant, Verdict::noncompliant, Verdict::inconclusive}) {
    const auto times = std::count(recent.begin(), recent.end(), verdict);
    if (times > 0) samples.add(static_cast<std::uint64_t>(times), {{"verdict", to_text(verdict)}});
  }
}

constexpr std::array kVerdictMetrics{
    Metric<VerdictView>{"storage_probe_promise_iops",
                        "The promised IOPS that the last finished run of a capacity probe is "
                        "compared with.",
                        kGauge, emit_promise_iops},
    Metric<VerdictView>{"storage_probe_promise_throughput_bytes_per_second",
                        "The promised bytes per second that the last finished run of a capacity "
                        "probe is compared with.",
                        kGauge, emit_promise_throughput},
    Metric<VerdictView>{"storage_probe_compliance_ratio",
                        "What was achieved, others' I/O included, over what is promised.", kGauge,
                        emit_ratio},
    Metric<VerdictView>{"storage_probe_compliant",
                        "Whether the last judged run delivered what is promised; inconclusive "
                        "runs do not change it.",
                        kGauge,
                        [](const VerdictView& probe, Samples& samples) {
                          if (const auto compliant = probe.status.verdict.compliant)
                            samples.add(*compliant ? 1.0 : 0.0);
                        }},
    Metric<VerdictView>{"storage_probe_last_judged_timestamp_seconds",
                        "When a run was last found compliant or not.", kGauge,
                        [](const VerdictView& probe, Samples& samples) {
                          samples.add(probe.status.verdict.last_judged);
                        }},
    Metric<VerdictView>{"storage_probe_confirmed_drop",
                        "Whether the volume has fallen below its promise or its own baseline, "
                        "twice in a row; until a good run.",
                        kGauge,
                        [](const VerdictView& probe, Samples& samples) {
                          samples.add(probe.status.verdict.confirmed_drop ? 1.0 : 0.0);
                        }},
    Metric<VerdictView>{"storage_probe_verdict_info",
                        "What the last finished run of a capacity probe proves, and why; always 1.",
                        kGauge, emit_verdict},
    Metric<VerdictView>{"storage_probe_verdict_since_timestamp_seconds",
                        "Since when the verdict and its reason have been what they are.", kGauge,
                        [](const VerdictView& probe, Samples& samples) {
                          if (probe.status.verdict.current) samples.add(probe.status.verdict.since);
                        }},
    Metric<VerdictView>{"storage_probe_verdicts_total",
                        "Verdicts by reason, and by whose I/O was the evidence: a probe's, or "
                        "(passive) the application's own.",
                        kCounter, emit_counts},
    Metric<VerdictView>{"storage_probe_recent_runs",
                        "Of the last 12 verdicts, how many of each kind there are.", kGauge,
                        emit_recent},
    Metric<VerdictView>{"storage_probe_baseline_iops",
                        "Median IOPS of the probe's own recent good runs.", kGauge,
                        [](const VerdictView& probe, Samples& samples) {
                          samples.add(probe.status.verdict.baseline_iops);
                        }},
};

constexpr std::array kBaselineMetrics{
    Metric<BaselineView>{"storage_probe_baseline_latency_seconds",
                         "Median latency of the probe's own recent good runs.", kGauge,
                         [](const BaselineView& probe, Samples& samples) {
                           if (const auto latency = probe.status.baseline_latency)
                             samples.add(to_seconds(*latency));
                         }},
};

}  // namespace

void collect_verdicts(const Snapshot& snapshot, Page& page) {
  std::vector<VerdictView> judged;
  std::vector<BaselineView> all;
  for (const TargetStatus& target : snapshot.targets)
    for (const ProbeStatus& probe : target.probes) {
      all.push_back({probe, subject_of(target, probe)});
      if (probe.spec.kind == Kind::latency) continue;
      judged.push_back({probe, probe.result ? &*probe.result : nullptr, subject_of(target, probe)});
    }
  collect(kVerdictMetrics, judged, page);
  collect(kBaselineMetrics, all, page);
}

}  // namespace storage_probe::metrics
