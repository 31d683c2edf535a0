// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

// No member has its default: what the wire forgets shows.
inline ProbeSpec full_spec() {
  ProbeSpec spec;
  spec.name = "mysql-like";
  spec.kind = Kind::latency;
  spec.pattern = Pattern::sequential;
  spec.read_percent = 75;
  spec.block_size = Bytes{16384};
  spec.queue_depth = 31;
  spec.rings = 2;
  spec.rate = 12.5;
  spec.fsync_every = -1;
  spec.limits = {seconds{3}, Bytes{1 << 20}, Ops{777}};
  spec.stop_early = false;
  spec.verify = true;
  return spec;
}

inline Target full_target() {
  Target target;
  target.name = "db";
  target.path = "/var/lib/my\xffsql";  // no UTF-8
  target.device = "/dev/sdx";
  target.optional = target.any_directory = target.writes = true;
  target.expect = {"ext4", "/dev/sda1", "vol-1"};
  target.volume.type = "aws.gp3";
  target.volume.promise = {3000.0, 1.5e8, 1.0, 2.0, 3.0, 4.0, "config"};
  target.volume.size = kGiB;
  target.volume.per = VolumeSpec::Per::client;
  target.volume.layout = VolumeSpec::Layout::linear;
  target.volume.members = {{"vol-a", 6000.0, {}}, {"vol-b", {}, 0.1}};
  target.objective = Objective{milliseconds{10}, 0.99};
  target.file = {ProbeFileSpec::Mode::unnamed, kMiB, "dir", true, "some/file"};
  target.space = {0.1, Bytes{5}};
  target.busy = {0.25, 0.75};
  target.budget = {0.02, Bytes{7}, Ops{8}, 0.03};
  target.shared = Shared::no;
  target.engine = Engine::threads;
  target.io_priority = IoPriority::idle;
  target.labels = {{"team", "databases"}, {"caf\xe9", "caf\xc3\xa9"}};
  return target;
}

inline Job full_job() {
  Job job;
  job.target = full_target();
  job.spec = full_spec();
  job.host_id = "0123456789abcdef";
  job.layout_allowance = kUnlimited;
  job.layout_per_day = kGiB;
  job.layout_rate = 1e8;
  job.fleet = FleetTerms{{seconds{1}, Bytes{2}, Ops{3}},
                         {seconds{4}, Bytes{5}, Ops{6}},
                         {seconds{7}, Bytes{8}, Ops{9}},
                         seconds{10}};
  job.idle_latency = milliseconds{3};
  job.depth_is_automatic = true;
  job.yields = true;
  job.lock_directory = "/var/run";
  job.keep_file = true;
  job.procfs = "/p";
  job.sysfs = "/s";
  return job;
}

inline ProbeReport full_report() {
  ProbeReport report;
  report.target = "db";
  report.path = "/var/lib/my\xffsql";
  report.spec = full_spec();
  report.outcome = Outcome::timed_out;
  report.state = TargetState::no_space;
  report.failure = Failure{"no_space", "a\nb \"c\""};
  report.deferral = Deferral::budget;
  report.started = WallTime(std::chrono::nanoseconds{1'700'000'000'123'456'789});
  report.ended = report.started + seconds{2};
  report.engine = Engine::io_uring;
  report.engine_note = "io_uring_setup: EPERM";
  report.direct_io = true;
  report.file_bytes = kGiB;
  Measurement& measured = report.measured;
  for (const Operation operation : kOperations) {
    OperationStats& stats = measured.operations[operation];
    stats.ios = 3 + static_cast<std::uint64_t>(operation);
    stats.bytes = Bytes{4096 * stats.ios};
    stats.latency.record(milliseconds{2}, stats.ios);
    stats.latency.record(seconds{1});
    measured.used[operation] = {{}, Bytes{stats.bytes.value * 2}, Ops{stats.ios * 2}};
    report.layout[operation] = {{}, Bytes{11 + stats.ios}, Ops{stats.ios}};
  }
  measured.duration = milliseconds{1750};
  measured.stopped_by = StopReason::certain;
  measured.cpu_user = milliseconds{10};
  measured.cpu_system = milliseconds{20};
  measured.cpu_busiest = milliseconds{25};
  measured.rings = 2;
  measured.profile =
      RateProfile{milliseconds{250}, {3000, 2999.5}, 0.01, true, {{6000, 3000, milliseconds{300}}}};
  measured.verification = Verification{12, 1, 2, Bytes{8192}};
  measured.elapsed = seconds{2};
  measured.retries = 5;
  measured.short_ios = 6;
  measured.errors = {{"EIO", 1}, {"other", 2}};
  measured.clock_suspect = true;
  report.layout_elapsed = seconds{9};
  report.identity = {"/var", "ext4",  "/dev/sda1",
                     "sda1", "vol-1", "aws.gp3",
                     "aws",  "vol-1", {{"sda1", "8:1", "", false}, {"sda", "8:0", "vol-1", true}}};
  report.device = DeviceActivity{"sda", 6010, Bytes{99}, 5.5, 1e-300};
  report.doubts = {Doubt::cache_suspect, Doubt::unsteady};
  return report;
}

}  // namespace storage_probe::test
