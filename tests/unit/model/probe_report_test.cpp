// SPDX-License-Identifier: Apache-2.0
#include "model/probe_report.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace storage_probe {
namespace {

using namespace std::chrono_literals;

TEST(ErrnoName, IsFromAClosedSet) {
  EXPECT_EQ(errno_name(EIO), "EIO");
  EXPECT_EQ(errno_name(ENOSPC), "ENOSPC");
  EXPECT_EQ(errno_name(EREMOTEIO), "EREMOTEIO");
  EXPECT_EQ(errno_name(ESTALE), "ESTALE");
  EXPECT_EQ(errno_name(EXDEV), "other");
  EXPECT_EQ(errno_name(-1), "other");
  EXPECT_EQ(errno_name(1'000'000), "other");
}

TEST(ErrnoName, CountsAReadOfNothingAsAnInputOutputError) { EXPECT_EQ(errno_name(0), "EIO"); }

TEST(ProbeReport, AddsUpAllThatARunHasSpent) {
  ProbeReport report;
  report.measured.used[Operation::read] = {{}, Bytes{4096}, Ops{1}};
  report.measured.used[Operation::write] = {{}, Bytes{8192}, Ops{2}};
  report.measured.used[Operation::fsync] = {{}, Bytes{}, Ops{1}};
  report.measured.elapsed = 2s;
  report.layout[Operation::write] = {{}, Bytes{kMiB}, Ops{4}};
  report.layout_elapsed = 3s;
  EXPECT_EQ(report.used(), (Usage{5s, Bytes{kMiB.value + 12288}, Ops{8}}));
}

TEST(Doubt, HasOneWordEach) {
  EXPECT_EQ(to_text(Doubt::clock_suspect), "clock_suspect");
  EXPECT_EQ(to_text(Doubt::cache_suspect), "cache_suspect");
  EXPECT_EQ(to_text(Doubt::too_few_samples), "too_few_samples");
  EXPECT_EQ(to_text(Doubt::contended), "contended");
  EXPECT_EQ(to_text(Doubt::cgroup_limited), "cgroup_limited");
  EXPECT_EQ(to_text(Doubt::cpu_limited), "cpu_limited");
  EXPECT_EQ(to_text(Doubt::queue_depth_limited), "queue_depth_limited");
  EXPECT_EQ(to_text(Doubt::init_suspect), "init_suspect");
  EXPECT_EQ(to_text(Doubt::unsteady), "unsteady");
}

TEST(DepthInUse, IsTheRateTimesTheMeanLatency) {
  const ProbeSpec spec = *find_preset("randrw");
  Measurement measured;
  EXPECT_EQ(depth_in_use(spec, measured), 0);
  measured.duration = 2s;
  measured.operations[Operation::read].latency.record(1ms, 6000);
  measured.operations[Operation::write].latency.record(2ms, 2000);
  EXPECT_NEAR(depth_in_use(spec, measured), 5, 0.05);
}

TEST(DepthInUse, CountsFsyncsWhereTheProbeHasACadenceOfThem) {
  ProbeSpec spec = *find_preset("randwrite");
  Measurement measured;
  measured.duration = 1s;
  measured.operations[Operation::fsync].latency.record(100ms, 1);
  EXPECT_EQ(depth_in_use(spec, measured), 0);
  spec.fsync_every = 8;
  EXPECT_NEAR(depth_in_use(spec, measured), 0.1, 0.001);
}

TEST(Outcome, HasOneWordEach) {
  EXPECT_EQ(to_text(Outcome::ok), "ok");
  EXPECT_EQ(to_text(Outcome::failed), "failed");
  EXPECT_EQ(to_text(Outcome::timed_out), "timed_out");
  EXPECT_EQ(to_text(Outcome::stuck), "stuck");
}

TEST(StopReason, HasOneWordEach) {
  EXPECT_EQ(to_text(StopReason::time), "time");
  EXPECT_EQ(to_text(StopReason::ios), "ios");
  EXPECT_EQ(to_text(StopReason::bytes), "bytes");
  EXPECT_EQ(to_text(StopReason::certain), "certain");
  EXPECT_EQ(to_text(StopReason::busy), "busy");
}

}  // namespace
}  // namespace storage_probe
