// SPDX-License-Identifier: Apache-2.0
// The metrics of a probe and its last finished run.
#include <array>

#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {
namespace {

struct ProbeView {
  const ProbeStatus& status;
  const RunResult* result;  // null when there is none, or none young enough
  bool histogram;
  Subject subject;
};

// Wraps what is emitted from a result, per operation that the result has.
template <auto EmitOperation>
void of_operations(const ProbeView& probe, Samples& samples) {
  if (probe.result == nullptr) return;
  for (const Operation op : kOperations)
    if (const auto& result = probe.result->operations[op]) EmitOperation(op, *result, samples);
}

void emit_iops(Operation op, const OperationResult& result, Samples& samples) {
  samples.add(result.iops, {{"op", to_text(op)}});
}

void emit_throughput(Operation op, const OperationResult& result, Samples& samples) {
  if (op != Operation::fsync) samples.add(result.throughput, {{"op", to_text(op)}});
}

void emit_latency(Operation op, const OperationResult& result, Samples& samples) {
  for (const auto& [percentile, latency] : result.percentiles)
    samples.add(to_seconds(latency), {{"op", to_text(op)}, {"percentile", percentile}});
}

void emit_latency_max(Operation op, const OperationResult& result, Samples& samples) {
  if (result.max > Duration{}) samples.add(to_seconds(result.max), {{"op", to_text(op)}});
}

std::string queue_depth_text(const ProbeView& probe) {
  if (probe.result != nullptr) return std::to_string(probe.result->queue_depth);
  if (probe.status.spec.kind == Kind::latency) return "1";
  const auto& configured = probe.status.spec.queue_depth;
  return configured ? std::to_string(*configured) : "auto";
}

void emit_info(const ProbeView& probe, Samples& samples) {
  const ProbeSpec& spec = probe.status.spec;
  const Engine engine = probe.result == nullptr ? Engine::automatic : probe.result->engine;
  samples.add(1.0, {{"kind", to_text(spec.kind)},
                    {"pattern", to_text(spec.pattern)},
                    {"block_size", to_text(spec.block_size)},
                    {"queue_depth", queue_depth_text(probe)},
                    {"read_percent", std::to_string(spec.read_percent)},
                    {"engine", to_text(engine)}});
}

void emit_histogram(const ProbeView& probe, Samples& samples) {
  if (!probe.histogram) return;
  for (const Operation op : kOperations)
    if (issues(probe.status.spec, op)) samples.add(probe.status.latency[op], {{"op", to_text(op)}});
}

void emit_runs(const ProbeView& probe, Samples& samples) {
  for (const Outcome outcome : {Outcome::ok, Outcome::failed, Outcome::timed_out, Outcome::stuck}) {
    const auto found = probe.status.runs.find(outcome);
    samples.add(found == probe.status.runs.end() ? std::uint64_t{0} : found->second,
                {{"result", to_text(outcome)}});
  }
}

constexpr std::array kProbeMetrics{
    Metric<ProbeView>{"storage_probe_success",
                      "Whether the last run finished; absent before the first run.", kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        if (probe.status.last_succeeded)
                          samples.add(*probe.status.last_succeeded ? 1.0 : 0.0);
                      }},
    Metric<ProbeView>{
        "storage_probe_last_run_timestamp_seconds", "When the last run ended, finished or not.",
        kGauge,
        [](const ProbeView& probe, Samples& samples) { samples.add(probe.status.last_run); }},
    Metric<ProbeView>{
        "storage_probe_last_success_timestamp_seconds", "When the last finished run ended.", kGauge,
        [](const ProbeView& probe, Samples& samples) { samples.add(probe.status.last_success); }},
    Metric<ProbeView>{
        "storage_probe_next_run_timestamp_seconds", "When the probe is due next.", kGauge,
        [](const ProbeView& probe, Samples& samples) { samples.add(probe.status.next_run); }},
    Metric<ProbeView>{"storage_probe_interval_seconds", "The configured interval between runs.",
                      kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        samples.add(to_seconds(probe.status.every));
                      }},
    Metric<ProbeView>{"storage_probe_duration_seconds",
                      "Wall time of the measured window of the last finished run.", kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        if (probe.result != nullptr)
                          samples.add(to_seconds(probe.result->duration));
                      }},
    Metric<ProbeView>{"storage_probe_iops",
                      "Operations per second that the last finished run achieved; for a latency "
                      "probe what its fixed rate achieved.",
                      kGauge, of_operations<emit_iops>},
    Metric<ProbeView>{"storage_probe_throughput_bytes_per_second",
                      "Bytes per second that the last finished run achieved.", kGauge,
                      of_operations<emit_throughput>},
    Metric<ProbeView>{"storage_probe_latency_seconds",
                      "Latency percentiles of the last finished run, those that its sample can "
                      "carry; do not average them.",
                      kGauge, of_operations<emit_latency>},
    Metric<ProbeView>{"storage_probe_latency_max_seconds",
                      "The slowest operation of the last finished run.", kGauge,
                      of_operations<emit_latency_max>},
    Metric<ProbeView>{"storage_probe_effective_queue_depth",
                      "IOPS times mean latency of the last finished run of a capacity probe.",
                      kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        if (probe.result != nullptr)
                          samples.add(probe.result->effective_queue_depth);
                      }},
    Metric<ProbeView>{"storage_probe_other_iops",
                      "I/Os per second of everything else on the device during the last finished "
                      "run.",
                      kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        if (probe.result != nullptr) samples.add(probe.result->other_iops);
                      }},
    Metric<ProbeView>{"storage_probe_other_throughput_bytes_per_second",
                      "Bytes per second of everything else on the device during the last finished "
                      "run.",
                      kGauge,
                      [](const ProbeView& probe, Samples& samples) {
                        if (probe.result != nullptr) samples.add(probe.result->other_throughput);
                      }},
    Metric<ProbeView>{"storage_probe_info", "The workload of the probe; always 1.", kGauge,
                      emit_info},
    Metric<ProbeView>{"storage_probe_io_duration_seconds",
                      "Latency of each measured operation of finished runs.", kHistogram,
                      emit_histogram},
    Metric<ProbeView>{"storage_probe_runs_total", "Runs by result.", kCounter, emit_runs},
    Metric<ProbeView>{"storage_probe_skipped_total", "Due runs that were not started, by reason.",
                      kCounter,
                      [](const ProbeView& probe, Samples& samples) {
                        for (const auto& [reason, times] : probe.status.skipped)
                          samples.add(times, {{"reason", reason}});
                      }},
};

bool has_histogram(const Snapshot& snapshot, Kind kind) {
  switch (kind) {
    case Kind::latency:
      return snapshot.histograms_for_latency;
    case Kind::capacity:
      return snapshot.histograms_for_capacity;
  }
  return false;
}

}  // namespace

void collect_probes(const Snapshot& snapshot, Page& page) {
  std::vector<ProbeView> views;
  for (const TargetStatus& target : snapshot.targets)
    for (const ProbeStatus& probe : target.probes)
      views.push_back({probe, probe.result ? &*probe.result : nullptr,
                       has_histogram(snapshot, probe.spec.kind), subject_of(target, probe)});
  collect(kProbeMetrics, views, page);
}

}  // namespace storage_probe::metrics
