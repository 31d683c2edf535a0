// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace storage_probe::schedule {
namespace {

using namespace std::chrono_literals;

Target device_target() {
  Target target;
  target.name = "raw";
  target.device = "/dev/nvme1n1";
  return target;
}

Target file_target() {
  Target target;
  target.name = "db";
  target.path = "/data";
  return target;
}

VolumeSpec promising(std::optional<double> iops, std::optional<double> throughput = {}) {
  VolumeSpec volume;
  volume.promise.iops = iops;
  volume.promise.throughput = throughput;
  return volume;
}

TEST(Layout, CostsTheFilesSizeOrTheLargestDefault) {
  Target target = file_target();
  EXPECT_EQ(layout_cost(target), kGiB);
  target.file.size = Bytes{64 * kMiB.value};
  EXPECT_EQ(layout_cost(target), Bytes{64 * kMiB.value});
  EXPECT_GT(layout_usage(target).bytes, Bytes{64 * kMiB.value});
}

TEST(Layout, CostsNothingWhereThereIsNoFileOfOurs) {
  EXPECT_EQ(layout_cost(device_target()), Bytes{});
  EXPECT_EQ(layout_usage(device_target()), Usage{});
  Target target = file_target();
  target.file.mode = ProbeFileSpec::Mode::existing;
  EXPECT_EQ(layout_cost(target), Bytes{});
}

TEST(Layout, TakesAQuarterOfThePromise) {
  Target target = file_target();
  target.volume = promising({}, 64.0 * 1024 * 1024);
  EXPECT_EQ(layout_usage(target).time, 64s);
  EXPECT_EQ(layout_rate(Promise{}), 100.0 * 1024 * 1024);
}

Target file_of(Bytes size) {
  Target target = file_target();
  target.file.size = size;
  return target;
}

TEST(LayoutPiece, IsAllWhereTheAllowancePaysForIt) {
  const Target target = file_of(kGiB);
  const Usage piece = layout_piece(target, {1h, {8 * kGiB.value}, Ops{1'000'000}}, {});
  EXPECT_EQ(piece.bytes, layout_usage(target).bytes);
  EXPECT_EQ(piece.ops, layout_usage(target).ops);
  EXPECT_GT(piece.time, 2 * layout_usage(target).time) << "a volume may be slower";
  EXPECT_EQ(layout_piece(target, {12s, {8 * kGiB.value}, Ops{1'000'000}}, {}).time, 12s);
  EXPECT_EQ(layout_piece(device_target(), {1h, kGiB, Ops{1'000'000}}, {}), Usage{});
}

TEST(LayoutPiece, IsWhatIsLeft) {
  const Target target = file_of({4 * kGiB.value});
  const Usage day{1h, kGiB, Ops{1'000'000}};
  const Usage piece = layout_piece(target, day, {0s, Bytes{kGiB.value / 4}, Ops{0}});
  EXPECT_LE(piece.bytes, Bytes{3 * kGiB.value / 4});
  EXPECT_GT(piece.bytes, Bytes{3 * kGiB.value / 4 - 2 * kMiB.value});
}

TEST(LayoutPiece, IsBoundByWhateverRunsOutFirst) {
  const Target target = file_of({4 * kGiB.value});
  EXPECT_NEAR(to_seconds(layout_piece(target, {2s, {8 * kGiB.value}, Ops{1'000'000}}, {}).time), 2,
              0.01);
  EXPECT_LE(layout_piece(target, {1h, {8 * kGiB.value}, Ops{500}}, {}).ops, Ops{500});
}

TEST(LayoutPiece, IsNoCrumb) {
  const Target target = file_of({4 * kGiB.value});
  const Usage day{1h, kGiB, Ops{1'000'000}};
  EXPECT_GT(layout_piece(target, day, day).bytes, Bytes{kGiB.value / 25});
}

TEST(LayoutPerDay, IsWhatTheScarcestMemberPaysFor) {
  const Target target = file_of({4 * kGiB.value});
  EXPECT_EQ(layout_per_day(target, {1h, kGiB, Ops{1'000'000}}), kGiB);
  EXPECT_EQ(layout_per_day(target, {10s, {8 * kGiB.value}, Ops{1'000'000}}),
            Bytes{1000 * kMiB.value});
  EXPECT_EQ(layout_per_day(device_target(), {1h, kGiB, Ops{1'000'000}}), Bytes{});
}

// Test vectors from the guides of cloud providers: depth = rate x latency, half as much again.
TEST(QueueDepth, FollowsPromiseAndIdleLatency) {
  const ProbeSpec& spec = *find_preset("randread");
  EXPECT_EQ(queue_depth(spec, promising(3000), 700us), 4U);
  EXPECT_EQ(queue_depth(spec, promising(16'000), 500us), 12U);
  EXPECT_EQ(queue_depth(spec, promising(2000), 1ms), 3U);
  EXPECT_EQ(queue_depth(spec, promising(100), 100us), 1U);
  EXPECT_EQ(queue_depth(spec, promising(1e6), 1s), 256U);
}

TEST(QueueDepth, GuessesTheIdleLatencyByType) {
  const ProbeSpec& spec = *find_preset("randread");
  VolumeSpec volume = promising(500);
  EXPECT_EQ(queue_depth(spec, volume, {}), 1U);
  volume.type = "aws.st1";
  EXPECT_EQ(queue_depth(spec, volume, {}), 8U);
  EXPECT_EQ(queue_depth(spec, volume, 2ms), 2U);
}

TEST(QueueDepth, OfASequentialProbeFollowsThroughput) {
  ProbeSpec spec = *find_preset("seqread");
  EXPECT_EQ(queue_depth(spec, VolumeSpec{}, {}), 4U);  // the preset's own
  spec.queue_depth.reset();
  EXPECT_EQ(queue_depth(spec, VolumeSpec{}, {}), 4U);
  EXPECT_EQ(queue_depth(spec, promising({}, 125.0 * 1024 * 1024), 1ms), 2U);
  EXPECT_EQ(queue_depth(spec, promising({}, 125.0 * 1024 * 1024), 8ms), 6U);
  EXPECT_EQ(queue_depth(spec, promising({}, 1e12), 8ms), 8U);
}

TEST(QueueDepth, WithoutAPromiseIsThirtyTwo) {
  const ProbeSpec& spec = *find_preset("randread");
  EXPECT_EQ(queue_depth(spec, VolumeSpec{}, 1ms), 32U);
  EXPECT_EQ(queue_depth(spec, promising({}, 1e9), 1ms), 32U);
}

TEST(QueueDepth, UsesWhatIsPromisedForItsOperations) {
  VolumeSpec volume;
  volume.promise.read_iops = 10'000;
  volume.promise.write_iops = 2000;
  EXPECT_EQ(queue_depth(*find_preset("randread"), volume, 1ms), 15U);
  EXPECT_EQ(queue_depth(*find_preset("randwrite"), volume, 1ms), 3U);
  EXPECT_EQ(queue_depth(*find_preset("randrw"), volume, 1ms), 15U);
}

TEST(QueueDepth, IsTheOperatorsWordWhereConfigured) {
  ProbeSpec spec = *find_preset("randread");
  spec.queue_depth = 200;
  EXPECT_EQ(queue_depth(spec, promising(100), 1ms), 200U);
}

TEST(QueueDepth, OfALatencyProbeIsOne) {
  EXPECT_EQ(queue_depth(*find_preset("latency"), promising(1e6), 1s), 1U);
}

// A change here would move every probe of every fleet at once.
TEST(Phase, IsTheSameInEveryVersion) {
  EXPECT_EQ(phase_of("0123456789abcdef", "db", "randread", 15min), 412341722112ns);
}

TEST(Phase, DiffersByHostTargetAndProbe) {
  const Duration phase = phase_of("a", "db", "randread", 1h);
  EXPECT_NE(phase, phase_of("b", "db", "randread", 1h));
  EXPECT_NE(phase, phase_of("a", "log", "randread", 1h));
  EXPECT_NE(phase, phase_of("a", "db", "seqread", 1h));
}

// The Kolmogorov distance of 1000 hosts' phases from the uniform distribution; 1.63 / sqrt(n) is
// passed once in a hundred by chance, and these are fixed.
TEST(Phase, SpreadsAFleetEvenly) {
  std::vector<double> phases;
  for (int host = 0; host < 1000; ++host) {
    const Duration phase =
        phase_of("host-" + std::to_string(host), "mysql-data", "randread", 15min);
    ASSERT_GE(phase, 0s);
    ASSERT_LT(phase, 15min);
    phases.push_back(to_seconds(phase) / to_seconds(15min));
  }
  std::sort(phases.begin(), phases.end());
  double distance = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double expected = static_cast<double>(i) / 1000;
    distance = std::max({distance, phases[i] - expected, expected + 0.001 - phases[i]});
  }
  EXPECT_LT(distance, 1.63 / std::sqrt(1000.0));
}

TEST(SlotAfter, IsAfterAndOnTheGrid) {
  EXPECT_EQ(slot_after(SteadyTime{100s}, 7s, 60s), SteadyTime{127s});
  EXPECT_EQ(slot_after(SteadyTime{127s}, 7s, 60s), SteadyTime{187s});
  EXPECT_EQ(slot_after(SteadyTime{3s}, 7s, 60s), SteadyTime{7s});
  EXPECT_EQ(slot_after(SteadyTime{7s}, 7s, 60s), SteadyTime{67s});
  EXPECT_EQ(slot_after(SteadyTime{-100s}, 7s, 60s), SteadyTime{-53s});
}

TEST(Patience, IsAQuarterOfTheIntervalAndAMinuteAtMost) {
  EXPECT_EQ(patience(1min), 15s);
  EXPECT_EQ(patience(4min), 60s);
  EXPECT_EQ(patience(6h), 60s);
}

}  // namespace
}  // namespace storage_probe::schedule
