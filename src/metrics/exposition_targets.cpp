// SPDX-License-Identifier: Apache-2.0
// The metrics of a target: what it is, how it is, what probing it has cost.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {
namespace {

struct TargetView {
  const TargetStatus& status;
  WallTime now;
  Subject subject;
};

// The figure of an operation, with the probe that it was spent on.
template <typename Amount>
void emit_spent(const TargetView& target, Samples& samples, Amount amount) {
  for (const ProbeStatus& probe : target.status.probes)
    for (const Operation op : kOperations) {
      const std::optional<std::uint64_t> value = amount(op, probe.spent[op]);
      if (value && (*value > 0 || issues(probe.spec, op)))
        samples.add(*value, {{"probe", probe.spec.name}, {"op", to_text(op)}});
    }
  for (const Operation op : kOperations) {
    const std::optional<std::uint64_t> value = amount(op, target.status.layout_spent[op]);
    if (value && (*value > 0 || op == Operation::write))
      samples.add(*value, {{"probe", "layout"}, {"op", to_text(op)}});
  }
}

void emit_ios(const TargetView& target, Samples& samples) {
  emit_spent(target, samples,
             [](Operation, const Usage& spent) { return std::optional(spent.ops.value); });
}

void emit_bytes(const TargetView& target, Samples& samples) {
  emit_spent(target, samples, [](Operation op, const Usage& spent) {
    return op == Operation::fsync ? std::nullopt : std::optional(spent.bytes.value);
  });
}

void emit_errors(const TargetView& target, Samples& samples) {
  auto errors = target.status.io_errors;
  errors.try_emplace("other", 0);
  for (const auto& [errno_text, times] : errors) samples.add(times, {{"errno", errno_text}});
}

void emit_info(const TargetView& target, Samples& samples) {
  const MountIdentity& identity = target.status.identity;
  const auto direct_io = target.status.direct_io;
  samples.add(1.0, {{"path", target.status.path},
                    {"mountpoint", identity.mountpoint},
                    {"fstype", identity.fs_type},
                    {"source", identity.source},
                    {"device", identity.device},
                    {"volume_id", identity.volume_id},
                    {"volume_type", identity.volume_type},
                    {"provider", identity.provider},
                    {"backend", identity.backend},
                    {"direct_io", !direct_io   ? ""
                                  : *direct_io ? "true"
                                               : "false"}});
}

void emit_devices(const TargetView& target, Samples& samples) {
  std::set<std::tuple<std::string, std::string, bool>> seen;  // a stack may name a leaf twice
  for (const Device& device : target.status.identity.devices)
    if (seen.emplace(device.name, device.volume_id, device.leaf).second)
      samples.add(1.0, {{"device", device.name},
                        {"volume_id", device.volume_id},
                        {"role", device.leaf ? "leaf" : "top"}});
}

// The parts that a promise is made of. An instance's limit is one for reads and writes.
template <auto kTotal, auto kReads, auto kWrites>
void emit_limits(const TargetView& target, Samples& samples) {
  const Terms& terms = target.status.terms;
  for (const auto& [limit, part] :
       {std::pair("volume", &terms.volume), std::pair("instance", &terms.instance),
        std::pair("burst", &terms.burst)}) {
    samples.add(part->*kTotal, {{"limit", limit}, {"op", "total"}});
    samples.add(part->*kReads, {{"limit", limit}, {"op", "read"}});
    samples.add(part->*kWrites, {{"limit", limit}, {"op", "write"}});
  }
}

void emit_burst_balance(const TargetView& target, Samples& samples) {
  const auto& balance = target.status.burst_balance;
  if (!balance) return;
  samples.add(balance->first, {{"bound", "low"}});
  samples.add(balance->second, {{"bound", "high"}});
}

constexpr std::array kTargetMetrics{
    Metric<TargetView>{"storage_probe_ios_total",
                       "Operations that probing has issued; probe=\"layout\" is the laying out of "
                       "the probe file.",
                       kCounter, emit_ios},
    Metric<TargetView>{"storage_probe_bytes_total",
                       "Bytes that probing has read and written; probe=\"layout\" is the laying "
                       "out of the probe file.",
                       kCounter, emit_bytes},
    Metric<TargetView>{"storage_probe_io_errors_total", "Operations that failed, by errno.",
                       kCounter, emit_errors},
    Metric<TargetView>{
        "storage_probe_io_retries_total",
        "Operations that were submitted again because the kernel said EAGAIN.", kCounter,
        [](const TargetView& target, Samples& samples) { samples.add(target.status.io_retries); }},
    Metric<TargetView>{"storage_probe_target_info", "What the target is; always 1.", kGauge,
                       emit_info},
    Metric<TargetView>{"storage_probe_target_device_info",
                       "A block device of the target's stack; always 1.", kGauge, emit_devices},
    Metric<TargetView>{"storage_probe_identity_changes_total",
                       "Times that another volume was found behind the target than before.",
                       kCounter,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.identity_changes);
                       }},
    Metric<TargetView>{"storage_probe_target_ready", "Whether the target can be probed.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.state == TargetState::ready ? 1.0 : 0.0);
                       }},
    Metric<TargetView>{"storage_probe_target_state_info",
                       "The state that the target is in; always 1.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(1.0, {{"state", to_text(target.status.state)}});
                       }},
    Metric<TargetView>{"storage_probe_target_stuck_seconds",
                       "How long the target's last run has been stuck in the kernel; 0 when it is "
                       "not.",
                       kGauge,
                       [](const TargetView& target, Samples& samples) {
                         const WallTime since = target.status.stuck_since.value_or(target.now);
                         samples.add(std::max(0.0, to_seconds(target.now - since)));
                       }},
    Metric<TargetView>{"storage_probe_target_hold", "Whether an operator holds the target.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.held.has_value() ? 1.0 : 0.0);
                       }},
    Metric<TargetView>{"storage_probe_limit_iops",
                       "IOPS limits that the target's promise is made of.", kGauge,
                       emit_limits<&Promise::iops, &Promise::read_iops, &Promise::write_iops>},
    Metric<TargetView>{
        "storage_probe_limit_throughput_bytes_per_second",
        "Throughput limits that the target's promise is made of.", kGauge,
        emit_limits<&Promise::throughput, &Promise::read_throughput, &Promise::write_throughput>},
    Metric<TargetView>{"storage_probe_promise_source_info",
                       "Where the target's promise comes from; always 1.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         const Terms& terms = target.status.terms;
                         samples.add(1.0, {{"from", terms.volume.from},
                                           {"volume_type", terms.type},
                                           {"as_of", terms.as_of}});
                       }},
    Metric<TargetView>{"storage_probe_burst_balance_ratio",
                       "What is left of the volume's burst credits, by a model of them: at least "
                       "and at most.",
                       kGauge, emit_burst_balance},
    Metric<TargetView>{"storage_probe_compliance_objective_ratio",
                       "How much of the time the volume's type promises its performance for.",
                       kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.terms.objective);
                       }},
    Metric<TargetView>{"storage_probe_objective_ios_total",
                       "I/Os of latency probes within the target's own objective, and beyond it.",
                       kCounter,
                       [](const TargetView& target, Samples& samples) {
                         if (!target.status.objective) return;
                         samples.add(target.status.objective_good, {{"result", "good"}});
                         samples.add(target.status.objective_bad, {{"result", "bad"}});
                       }},
    Metric<TargetView>{"storage_probe_budget_limit_bytes",
                       "Bytes that probing may spend in 24 hours.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.budget_limit.bytes.value);
                       }},
    Metric<TargetView>{"storage_probe_budget_limit_ios",
                       "Operations that probing may spend in 24 hours.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.budget_limit.ops.value);
                       }},
    Metric<TargetView>{"storage_probe_budget_limit_seconds",
                       "Seconds that capacity probes and layouts may take in 24 hours; absent when "
                       "they are not limited.",
                       kGauge,
                       [](const TargetView& target, Samples& samples) {
                         if (target.status.budget_limit.time > Duration{})
                           samples.add(to_seconds(target.status.budget_limit.time));
                       }},
    Metric<TargetView>{"storage_probe_budget_used_bytes",
                       "Bytes of the allowance that are in use; it refills continuously.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.budget_used.bytes.value);
                       }},
    Metric<TargetView>{"storage_probe_budget_used_ios",
                       "Operations of the allowance that are in use; it refills continuously.",
                       kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.budget_used.ops.value);
                       }},
    Metric<TargetView>{"storage_probe_budget_used_seconds",
                       "Seconds of the allowance that are in use; it refills continuously.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(to_seconds(target.status.budget_used.time));
                       }},
    Metric<TargetView>{"storage_probe_plan_bytes_per_day",
                       "Bytes that the configured probes read and write a day at most.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.planned_per_day.bytes.value);
                       }},
    Metric<TargetView>{"storage_probe_plan_ios_per_day",
                       "Operations that the configured probes do a day at most.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.planned_per_day.ops.value);
                       }},
    Metric<TargetView>{"storage_probe_file_bytes",
                       "Size of the probe file; 0 when there is no complete one.", kGauge,
                       [](const TargetView& target, Samples& samples) {
                         samples.add(target.status.file_bytes.value);
                       }},
};

}  // namespace

void collect_targets(const Snapshot& snapshot, Page& page) {
  std::vector<TargetView> views;
  views.reserve(snapshot.targets.size());
  for (const TargetStatus& target : snapshot.targets)
    views.push_back({target, snapshot.taken, subject_of(target)});
  collect(kTargetMetrics, views, page);
}

}  // namespace storage_probe::metrics
