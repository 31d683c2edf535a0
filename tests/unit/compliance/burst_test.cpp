// SPDX-License-Identifier: Apache-2.0
#include "compliance/burst.h"

#include <gtest/gtest.h>

#include "unit/compliance/runs.h"

namespace storage_probe::compliance {
namespace {

using std::chrono::seconds;

// aws.gp2 of this size: 3 I/Os per second and GiB, 5.4 million credits.
Terms gp2(double gib) {
  Terms terms;
  const double baseline = std::max(100.0, 3 * gib);
  terms.volume.iops = baseline;
  terms.burst.iops = 3000;
  terms.io_cap = Bytes{256 * kKiB.value};
  terms.buckets = {{Bucket::Unit::ios, 5.4e6, baseline, 3000, {}, 1}};
  return terms;
}

// aws.st1 of 1 TiB.
Terms st1() {
  constexpr double kMiBps = 1024.0 * 1024;
  Terms terms;
  terms.buckets = {{Bucket::Unit::bytes, 1024 * 1024 * kMiBps, 40 * kMiBps, 250 * kMiBps, kMiB, 1}};
  return terms;
}

DeviceSecond reads(double iops, Bytes size, Duration length = seconds(1)) {
  DeviceSecond second;
  second.length = length;
  second.reads = Ops{static_cast<std::uint64_t>(iops * to_seconds(length))};
  second.bytes_read = Bytes{second.reads.value * size.value};
  return second;
}

void rest_until_full(Burst& burst) { burst.add(reads(0, Bytes{}, std::chrono::hours(24))); }

// Until nothing may be left, in seconds.
int drain(Burst& burst, double iops) {
  int passed = 0;
  for (; burst.balance()->high > 0 && passed < 100'000; ++passed)
    burst.add(reads(iops, Bytes{4096}));
  return passed;
}

// The published durations; the spend is what goes beyond the baseline
// (awsdocs/amazon-ec2-user-guide#249).
TEST(Burst, LastsAsLongAsItsProviderSays) {
  for (const auto& [gib, lasts] : {std::pair(33.0, 1862), std::pair(100.0, 2000),
                                   std::pair(334.0, 2703), std::pair(750.0, 7200)}) {
    Burst burst(gp2(gib));
    rest_until_full(burst);
    EXPECT_NEAR(drain(burst, 3000), lasts, 2) << gib;
  }
}

TEST(Burst, RefillsAsFastAsItsProviderSays) {
  for (const auto& [gib, takes] : {std::pair(33.0, 54'000), std::pair(100.0, 18'000),
                                   std::pair(334.0, 5'389), std::pair(750.0, 2'400)}) {
    Burst burst(gp2(gib));
    rest_until_full(burst);
    drain(burst, 3000);
    int passed = 0;
    for (; burst.balance()->low < 1; ++passed) burst.add(reads(0, Bytes{}));
    EXPECT_NEAR(passed, takes, 3) << gib;
  }
}

TEST(Burst, KnowsNothingAtFirstAndAllAfterARest) {
  Burst burst(gp2(100));
  EXPECT_EQ(burst.balance()->low, 0);
  EXPECT_EQ(burst.balance()->high, 1);
  burst.add(reads(0, Bytes{}, seconds(9'000)));
  EXPECT_NEAR(burst.balance()->low, 0.5, 1e-9);
  EXPECT_EQ(burst.balance()->high, 1);
  rest_until_full(burst);
  EXPECT_EQ(burst.balance()->low, 1);
}

TEST(Burst, CountsALargeIoAsSeveral) {
  Burst burst(gp2(100));
  rest_until_full(burst);
  burst.add(reads(1'000, kMiB));  // 4,000 I/Os, 300 of them earned
  EXPECT_NEAR(burst.balance()->low, 1 - 3'700 / 5.4e6, 1e-9);
}

TEST(Burst, OfBytesChargesSmallIosForAMebibyteUnlessTheyWereMerged) {
  Burst burst(st1());
  rest_until_full(burst);
  burst.add(reads(100, Bytes{4096}));
  const double capacity = 1024.0 * 1024;  // MiB
  EXPECT_NEAR(burst.balance()->low, 1 - (100 - 40) / capacity, 1e-9);
  EXPECT_EQ(burst.balance()->high, 1);
}

TEST(Burst, ChargesReadsAThirdWhereTheyAreMeteredSo) {
  Terms terms;
  terms.buckets = {{Bucket::Unit::bytes, 30e6, 0, 100e6, Bytes{4096}, 1.0 / 3}};
  Burst burst(terms);
  rest_until_full(burst);
  EXPECT_EQ(burst.balance()->high, 1);
  DeviceSecond second;
  second.length = seconds(1);
  second.reads = Ops{1};
  second.bytes_read = Bytes{30'000'000};
  second.writes = Ops{1};
  second.bytes_written = Bytes{5'000'000};
  burst.add(second);
  EXPECT_NEAR(burst.balance()->high, 0.5, 1e-9);
}

TEST(Burst, ARunThatIsHeldToTheBaselineSaysThatItIsEmpty) {
  Burst burst(gp2(100));
  burst.note_run(test::run_at("randread", 305));
  EXPECT_EQ(burst.balance()->high, 0);
  ProbeReport busy = test::run_at("randread", 300);
  busy.doubts = {Doubt::cpu_limited};
  Burst other(gp2(100));
  other.note_run(busy);
  EXPECT_EQ(other.balance()->high, 1) << "something else held it";
}

TEST(Burst, ARunWhoseRateFellSaysThatItIsEmptyNow) {
  Burst burst(gp2(100));
  ProbeReport report = test::run_at("randread", 1'650);
  report.measured.profile->drop = RateDrop{3'000, 300, seconds(1)};
  burst.note_run(report);
  EXPECT_EQ(burst.balance()->high, 0);
}

TEST(Burst, ARunAboveTheBaselineProvesAModelWrongThatSaysEmpty) {
  Burst burst(gp2(100));
  burst.note_run(test::run_at("randread", 300));
  burst.note_run(test::run_at("randread", 3'000));
  EXPECT_EQ(burst.balance()->high, 1);
  EXPECT_EQ(burst.balance()->low, 0);
}

TEST(Burst, AGapWidensWhatIsKnown) {
  Burst burst(gp2(100));
  rest_until_full(burst);
  drain(burst, 3000);
  burst.add(reads(0, Bytes{}, seconds(9'000)));
  burst.skip(seconds(100));
  EXPECT_NEAR(burst.balance()->low, 0.5 - 270'000 / 5.4e6, 1e-6);
  EXPECT_NEAR(burst.balance()->high, 0.5 + 30'000 / 5.4e6, 1e-6);
}

TEST(Burst, IsSavedAndRestored) {
  Burst burst(gp2(100));
  burst.add(reads(0, Bytes{}, seconds(1'234)));
  Burst next(gp2(100));
  EXPECT_TRUE(next.restore(burst.save()));
  EXPECT_EQ(next.balance()->low, burst.balance()->low);
  Burst grown(gp2(200));
  EXPECT_TRUE(grown.restore(burst.save())) << "as many credits, only earned faster";
  Burst other(st1());
  for (const std::string& line : {burst.save(), std::string(), std::string("nan 1 2"),
                                  std::string("5400000 3 2"), burst.save() + " 1"}) {
    EXPECT_FALSE(other.restore(line)) << line;
    EXPECT_FALSE(next.restore(line) && line != burst.save()) << line;
  }
}

TEST(Burst, WithoutBucketsHasNoBalance) { EXPECT_FALSE(Burst(Terms()).balance()); }

}  // namespace
}  // namespace storage_probe::compliance
