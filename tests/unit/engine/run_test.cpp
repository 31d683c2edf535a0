// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

#include <gtest/gtest.h>

namespace storage_probe::engine {
namespace {

Measurement with(std::uint64_t ios, std::uint64_t failed) {
  Measurement measurement;
  measurement.used[Operation::read].ops = Ops{ios};
  if (failed > 0) measurement.errors["EIO"] = failed;
  return measurement;
}

TEST(Run, FailsByErrorsAboveOnePercent) {
  EXPECT_FALSE(failed_by_errors(with(0, 0)));
  EXPECT_FALSE(failed_by_errors(with(1000, 0)));
  EXPECT_FALSE(failed_by_errors(with(1000, 10)));
  EXPECT_TRUE(failed_by_errors(with(1000, 11)));
  EXPECT_TRUE(failed_by_errors(with(1, 1)));
}

TEST(Run, AddsErrorsOfAllKindsAndIosOfAllOperations) {
  Measurement measurement = with(50, 1);
  measurement.errors["ENOSPC"] = 1;
  EXPECT_TRUE(failed_by_errors(measurement));
  measurement.used[Operation::write].ops = Ops{150};
  EXPECT_FALSE(failed_by_errors(measurement));
}

TEST(Run, FailsWhereItGaveUp) {
  Measurement measurement = with(100'000, 100);
  measurement.gave_up = true;
  EXPECT_TRUE(failed_by_errors(measurement));
}

TEST(Run, OneFailedFsyncFailsIt) {
  Measurement measurement = with(1000, 1);
  measurement.fsync_failed = true;
  EXPECT_TRUE(failed_by_errors(measurement));
}

TEST(Run, LostWritesAreNamedWithTheFirstOfThem) {
  Measurement measurement;
  EXPECT_FALSE(lost_writes(measurement));
  measurement.verification.emplace().blocks = 12;
  EXPECT_FALSE(lost_writes(measurement));
  measurement.verification = Verification{12, 1, 2, Bytes{8192}};
  EXPECT_EQ(
      lost_writes(measurement),
      "of 12 blocks that were read back, 1 are torn and 2 stale, the first at byte 8192 of the "
      "probe file: the volume has not kept what it had confirmed");
}

TEST(LeftOf, IsWhatTheLimitsStillPay) {
  Measurement spent;
  spent.elapsed = std::chrono::milliseconds{600};
  spent.used[Operation::read] = {{}, Bytes{500 * 4096}, Ops{500}};
  EXPECT_EQ(left_of({std::chrono::seconds{1}, Bytes{}, Ops{501}}, spent),
            (Usage{std::chrono::milliseconds{400}, Bytes{}, Ops{1}}));
  EXPECT_EQ(left_of({}, spent), Usage{}) << "no limits";
  EXPECT_FALSE(left_of({std::chrono::milliseconds{600}, Bytes{}, Ops{}}, spent));
  EXPECT_FALSE(left_of({{}, Bytes{}, Ops{500}}, spent));
  EXPECT_FALSE(left_of({{}, Bytes{4096}, Ops{}}, spent)) << "overspent";
}

TEST(AddCosts, TakesAllThatWasSpentAndMetAndNoFigure) {
  Measurement kept;
  kept.errors["EIO"] = 1;
  Measurement other;
  other.used[Operation::write] = {{}, Bytes{4096}, Ops{1}};
  other.operations[Operation::write].ios = 1;
  other.retries = 2;
  other.short_ios = 3;
  other.errors["EIO"] = 4;
  other.fsync_failed = other.gave_up = other.clock_suspect = true;
  add_costs(kept, other);
  EXPECT_EQ(kept.used[Operation::write], other.used[Operation::write]);
  EXPECT_EQ(kept.operations[Operation::write].ios, 0U);
  EXPECT_EQ(kept.retries, 2U);
  EXPECT_EQ(kept.short_ios, 3U);
  EXPECT_EQ(kept.errors.at("EIO"), 5U);
  EXPECT_TRUE(kept.fsync_failed && kept.gave_up && kept.clock_suspect);
}

}  // namespace
}  // namespace storage_probe::engine
