// SPDX-License-Identifier: Apache-2.0
// Targets and reports to show: what the recorder, the exposition and the pages are tested with.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "metrics/recorder.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/snapshot.h"
#include "model/target.h"

namespace storage_probe::test {

inline constexpr WallTime kNoon{std::chrono::seconds{1'800'000'000}};

inline Target sample_target(const std::string& name, const std::vector<std::string>& presets) {
  Target target;
  target.name = name;
  target.path = "/" + name;
  for (const std::string& preset : presets) {
    const ProbeSpec& spec = *find_preset(preset);
    target.probes.push_back({spec, spec.kind == Kind::latency
                                       ? Duration(std::chrono::minutes{1})
                                       : Duration(std::chrono::minutes{15})});
  }
  return target;
}

inline MountIdentity sample_identity(const std::string& volume_id) {
  MountIdentity identity;
  identity.mountpoint = "/mnt/" + volume_id;
  identity.fs_type = "ext4";
  identity.source = "/dev/nvme1n1";
  identity.device = "nvme1n1";
  identity.volume_id = volume_id;
  identity.volume_type = "aws.gp3";
  identity.provider = "aws";
  identity.backend = volume_id;
  identity.devices = {{"nvme1n1", "259:1", volume_id, true}};
  return identity;
}

// `ios` operations of each kind that the probe does, at 100 us and upwards.
inline ProbeReport finished_report(const Target& target, const std::string& probe,
                                   std::uint64_t ios, WallTime ended) {
  ProbeReport report;
  report.target = target.name;
  report.path = target.path;
  for (const PlannedProbe& planned : target.probes)
    if (planned.spec.name == probe) report.spec = planned.spec;
  if (report.spec.kind == Kind::capacity) report.spec.queue_depth = 32;
  report.outcome = Outcome::ok;
  report.state = TargetState::ready;
  report.engine = Engine::io_uring;
  report.direct_io = true;
  report.file_bytes = kGiB;
  report.started = ended - std::chrono::seconds{2};
  report.ended = ended;
  report.measured.duration = std::chrono::seconds{2};
  report.measured.elapsed = std::chrono::milliseconds{2250};
  for (const Operation op : kOperations) {
    const bool does = op == Operation::read ? report.spec.read_percent > 0 : report.spec.writes();
    if (!does) continue;
    OperationStats& stats = report.measured.operations[op];
    stats.ios = op == Operation::fsync ? 1 : ios;
    if (op != Operation::fsync) stats.bytes = {stats.ios * report.spec.block_size.value};
    for (std::uint64_t i = 0; i < stats.ios; ++i)
      stats.latency.record(std::chrono::microseconds{100 + i});
    report.measured.used[op] = {{}, stats.bytes, {stats.ios + stats.ios / 8}};
  }
  report.identity = sample_identity("vol-0abc");
  report.device = DeviceActivity{"nvme1n1", ios + 10, {ios * 4096}, 5.0, 20480.0};
  return report;
}

inline ProbeReport failed_report(const Target& target, const std::string& probe, Outcome outcome,
                                 const Failure& failure, WallTime ended) {
  ProbeReport report;
  report.target = target.name;
  report.path = target.path;
  report.spec.name = probe;
  report.outcome = outcome;
  report.failure = failure;
  report.state = parse_target_state(failure.code).value_or(TargetState::unknown);
  report.started = ended - std::chrono::seconds{1};
  report.ended = ended;
  return report;
}

// Five targets: a healthy one with a promise, one with every operation and a hostile name, one that
// is not mounted, a network file system whose last run failed, and a stuck one.
inline Snapshot sample_snapshot() {
  using std::chrono::minutes;
  using std::chrono::seconds;
  Target data = sample_target("mysql-data", {"latency", "randread", "seqread"});
  data.volume.promise = {3000, 125.0 * 1024 * 1024, {}, {}, {}, {}, "config"};
  data.volume.type = "aws.gp2";
  data.objective = Objective{std::chrono::milliseconds{1}, 0.99};
  data.labels = {{"note", "rack \"7\""}, {"team", "databases"}};
  Target mixed = sample_target("räk \"<b>&\\\n", {"latency-write", "randrw", "seqwrite"});
  mixed.path = "/srv/räk \"<b>&\\\n";
  mixed.writes = true;
  mixed.labels = {{"note", "<script>alert('x')</script>\xff"}, {"team", ""}};
  mixed.volume.type = "gcp.pd-ssd";
  mixed.volume.promise.read_iops = 15000;
  mixed.volume.promise.write_iops = 9000;
  mixed.volume.promise.write_throughput = 240e6;
  mixed.volume.promise.from = "config";
  const Target logs = sample_target("logs", {"latency"});
  const Target home = sample_target("nfs-home", {"latency", "randread"});
  const Target lost = sample_target("lost", {"randread"});
  metrics::Recorder recorder;
  recorder.configure({data, mixed, logs, home, lost});

  ProbeReport first = finished_report(data, "randread", 6000, kNoon - minutes{9});
  first.layout[Operation::write] = {{}, kGiB, {4097}};
  first.layout[Operation::fsync] = {{}, {}, {1}};
  first.identity.devices.insert(first.identity.devices.begin(), {"dm-0", "254:0", "", false});
  recorder.record(first);
  ProbeReport doubtful = finished_report(data, "seqread", 900, kNoon - minutes{8});
  doubtful.doubts = {Doubt::unsteady};
  recorder.record(doubtful);
  recorder.record(finished_report(data, "latency", 200, kNoon - seconds{20}));
  recorder.skipped("mysql-data", "randread", "busy");
  recorder.judged(
      "mysql-data", "randread",
      {Verdict::compliant, Reason::ok, 1.0, 0.09, "3,000 IOPS of 3,000 promised (100 %)"},
      Evidence::probe, kNoon - minutes{9});
  recorder.judged("mysql-data", "seqread",
                  {Verdict::inconclusive, Reason::unsteady, {}, 0.8, "the rate changed"},
                  Evidence::probe, kNoon - minutes{8});
  recorder.record(finished_report(mixed, "randrw", 12000, kNoon - minutes{2}));
  recorder.record(finished_report(mixed, "seqwrite", 500, kNoon - minutes{1}));
  recorder.record(finished_report(mixed, "latency-write", 200, kNoon - seconds{40}));
  ProbeReport broken =
      failed_report(mixed, "randrw", Outcome::failed,
                    {"io_error", "read at 4096: Input/output error"}, kNoon - seconds{30});
  broken.measured.errors = {{"EIO", 3}};
  broken.measured.retries = 7;
  recorder.record(broken);
  recorder.record(failed_report(
      logs, "latency", Outcome::failed,
      {"not_mounted", "/logs is on / (ext4, /dev/vda): mount it, or add expect"}, kNoon));
  ProbeReport over_network = finished_report(home, "latency", 180, kNoon - seconds{95});
  over_network.identity = {"/nfs-home", "nfs4", "fs-1:/home", "", "", "", "", "fs-1", {}};
  over_network.device.reset();
  recorder.record(over_network);
  recorder.record(failed_report(home, "latency", Outcome::timed_out,
                                {"timed_out", "no progress for 10 s while opening the file"},
                                kNoon - seconds{35}));
  recorder.record(finished_report(lost, "randread", 40, kNoon - minutes{50}));  // too old to show
  recorder.record(failed_report(lost, "randread", Outcome::stuck,
                                {"stuck", "the worker does not die: the kernel waits for /lost"},
                                kNoon - seconds{90}));

  recorder.find(lost.name)->stuck_since = kNoon - seconds{90};
  recorder.find(mixed.name)->held = "until 2026-12-01 03:12 UTC: kernel update";
  recorder.judged(mixed.name, "randrw",
                  {Verdict::noncompliant,
                   Reason::below_promise,
                   0.7,
                   {},
                   "8,400 IOPS of 12,000 promised (70 %)"},
                  Evidence::passive, kNoon - minutes{2});
  recorder.find(mixed.name)->probes[1].verdict.confirmed_drop = true;
  TargetStatus& status = *recorder.find(data.name);
  status.terms.instance.iops = 18750;
  status.terms.objective = 0.99;
  status.terms.as_of = "2023-06";
  status.burst_balance = {0.5, 1.0};
  status.probes[0].baseline_latency = std::chrono::microseconds{200};
  status.probes[1].verdict.baseline_iops = 3010;
  status.budget_limit = {std::chrono::seconds{864}, {16 * kGiB.value}, {4'000'000}};
  status.budget_used = {std::chrono::seconds{6}, {kGiB.value + 25 * kMiB.value}, {11'500}};
  for (ProbeStatus& probe : status.probes) probe.next_run = kNoon + probe.every / 2;

  Snapshot snapshot;
  snapshot.ready = true;
  snapshot.taken = kNoon;
  snapshot.targets = recorder.statuses(kNoon);
  snapshot.exporter = {std::string(64, 'a'), true, kNoon - minutes{60}, 1, 1};
  return snapshot;
}

}  // namespace storage_probe::test
