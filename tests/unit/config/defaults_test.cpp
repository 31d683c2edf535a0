// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Usage limits_of(const std::string& probe, const std::string& volume) {
  const Target target = only_target(
      target_with("probes: [{use: " + probe + ", every: 1h}]\nvolume: {" + volume + "}"));
  return target.probes.empty() ? Usage{} : target.probes[0].spec.limits;
}

TEST(Defaults, ThreeLinesAreAWholeConfiguration) {
  const Loaded loaded = load(kData / "good/three_lines.yml");
  ASSERT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.notes, Lines{});
  EXPECT_EQ(loaded.config.max_concurrent_capacity, 1U);
  EXPECT_EQ(loaded.config.histograms, Histograms::latency);
  Target expected;
  expected.name = "mysql-data";
  expected.path = "/var/lib/mysql";
  expected.probes = {{*find_preset("latency"), minutes(1)},
                     {*find_preset("randread"), hours(6)},
                     {*find_preset("seqread"), hours(6)}};
  ASSERT_EQ(loaded.config.targets.size(), 1U);
  EXPECT_EQ(loaded.config.targets[0], expected);
}

TEST(Defaults, AreTheOnesThatAreDocumented) {
  const Target target = only_target(target_with("optional: false"));
  EXPECT_EQ(target.space, (SpaceRule{0.05, kGiB}));
  EXPECT_EQ(target.busy, (BusyRule{0.5, 0.5}));
  EXPECT_EQ(target.budget, (BudgetRule{0.01, Bytes{16 * kGiB.value}, Ops{4'000'000}, 0.01}));
  EXPECT_EQ(target.file.directory, ".storage-probe");
  EXPECT_EQ(target.file.size, std::nullopt);
  EXPECT_FALSE(target.writes || target.optional || target.file.directory_is_explicit);
  EXPECT_EQ(target.engine, Engine::automatic);
  EXPECT_EQ(target.shared, Shared::automatic);
  EXPECT_EQ(target.probes[0].spec.limits, (Usage{seconds(10), {}, {}}));
  EXPECT_EQ(target.probes[0].spec.rate, 20);
  EXPECT_EQ(target.probes[1].spec.limits,
            (Usage{seconds(2), Bytes{256 * kMiB.value}, Ops{50'000}}));
}

TEST(Defaults, TheFullProfileProbesMoreAndMaySpendMore) {
  const Target target = only_target("profile: full\n" + target_with("optional: false"));
  ASSERT_EQ(target.probes.size(), 3U);
  EXPECT_EQ(target.probes[0].every, minutes(1));
  EXPECT_EQ(target.probes[1].every, minutes(15));
  EXPECT_EQ(target.probes[2].every, hours(1));
  EXPECT_EQ(target.budget.bytes_per_day, Bytes{64 * kGiB.value});
  EXPECT_EQ(target.budget.ios_per_day, Ops{10'000'000});
}

TEST(Defaults, LimitsLeaveRoomForTwoSecondsOfThePromise) {
  EXPECT_EQ(limits_of("randread", "iops: 100k, throughput: 1000MB/s"),
            (Usage{seconds(2), Bytes{2'000'000'000}, Ops{200'000}}));
  EXPECT_EQ(limits_of("randread", "iops: 3000, throughput: 125MiB/s"),
            (Usage{seconds(2), Bytes{256 * kMiB.value}, Ops{50'000}}));
}

TEST(Defaults, TheFigureOfThePatternStandsInForTheOther) {
  EXPECT_EQ(limits_of("randread", "iops: 100k"),
            (Usage{seconds(2), Bytes{200'000 * 4096}, Ops{200'000}}));
  EXPECT_EQ(limits_of("seqread", "iops: 20k"),
            (Usage{seconds(2), Bytes{256 * kMiB.value}, Ops{50'000}}));
  EXPECT_EQ(limits_of("seqread, block_size: 4KiB", "throughput: 512MiB/s"),
            (Usage{seconds(2), kGiB, Ops{262'144}}));
}

TEST(Defaults, LimitsThatAreSaidStay) {
  EXPECT_EQ(limits_of("randread, limits: {ios: 100}", "iops: 100k").ops, Ops{100});
}

TEST(Defaults, WithoutAConfigurationOneTargetAnswersSoon) {
  const Config config = embedded_default("/var/lib/x");
  ASSERT_EQ(config.targets.size(), 1U);
  const Target& target = config.targets[0];
  EXPECT_EQ(target.name, "default");
  EXPECT_EQ(target.path, "/var/lib/x");
  EXPECT_TRUE(target.any_directory);
  EXPECT_EQ(target.file.size, Bytes{64 * kMiB.value});
  ASSERT_EQ(target.probes.size(), 3U);
  Duration total{};
  for (const PlannedProbe& probe : target.probes) total += probe.spec.limits.time;
  EXPECT_LE(total, seconds(5));
  EXPECT_EQ(target.probes[0].spec.name, "randread");
  EXPECT_TRUE(config.sha256.empty());
}

TEST(Defaults, LetARunTakeAQuarterOfADaysAllowanceAtMost) {
  const Target target =
      only_target(target_with("volume: {iops: 30}\nprobes: [{use: randread, every: 1h}]"));
  EXPECT_EQ(target.probes[0].spec.limits.ops, Ops{30 * 864 / 4});
}

TEST(Defaults, OfATinyBudgetAreStillLimits) {
  const Lines errors =
      errors_of(target_with("budget: {ios_per_day: 1}\nprobes: [{use: randread, every: 1h}]"));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("may use 2 I/Os"), std::string::npos) << errors[0];
}

TEST(Defaults, LeaveRandomProbesOutOnRotatingDisks) {
  const Target target = only_target(target_with("volume: {type: aws.st1}"));
  ASSERT_EQ(target.probes.size(), 1U);
  EXPECT_EQ(target.probes[0].spec.name, "seqread");
  const Target asked =
      only_target(target_with("volume: {type: aws.st1}\nprobes: [{use: latency}]"));
  EXPECT_EQ(asked.probes.at(0).spec.name, "latency");
}

TEST(Defaults, SequentialBlocksAreAsLargeAsTheTypeCounts) {
  const auto block = [](const std::string& rest) {
    return only_target(target_with("probes: [{use: seqread" + rest)).probes.at(0).spec.block_size;
  };
  EXPECT_EQ(block("}]\nvolume: {type: aws.st1}"), kMiB);
  EXPECT_EQ(block("}]\nvolume: {type: aws.gp3}"), Bytes{256 * kKiB.value});
  EXPECT_EQ(block(", block_size: 64KiB}]\nvolume: {type: aws.st1}"), Bytes{64 * kKiB.value});
}

TEST(WithPromise, MakesRoomAsIfItHadBeenConfigured) {
  const std::string probes = "probes: [{use: randread}, {use: seqread}, {use: latency}]";
  const Target later = only_target(target_with(probes));
  const Target told =
      only_target(target_with(probes + "\nvolume: {iops: 100000, throughput: 2GB/s}"));
  EXPECT_EQ(with_promise(later, told.volume.promise), told);
}

TEST(WithPromise, LeavesLimitsThatTheOperatorHasSet) {
  const Target target = only_target(target_with(
      "probes: [{use: randread, limits: {ios: 7}}, {use: seqread, limits: {bytes: 1MiB}}]"));
  Promise promise;
  promise.iops = 100'000;
  promise.throughput = 2e9;
  const Target changed = with_promise(target, promise);
  EXPECT_EQ(changed.probes[0].spec.limits.ops, Ops{7});
  EXPECT_EQ(changed.probes[0].spec.limits.bytes, Bytes{4'000'000'000});
  EXPECT_EQ(changed.probes[1].spec.limits.bytes, kMiB);
  EXPECT_EQ(changed.volume.promise, promise);
  EXPECT_EQ(with_promise(changed, {}), target);
}

}  // namespace
}  // namespace storage_probe::config
