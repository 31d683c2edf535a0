// SPDX-License-Identifier: Apache-2.0
#include "budget/metering.h"

#include <gtest/gtest.h>

#include <chrono>

namespace storage_probe::budget {
namespace {

using namespace std::chrono_literals;

Usage done(std::uint64_t bytes, std::uint64_t ios) { return {{}, Bytes{bytes}, Ops{ios}}; }

TEST(Metering, CountsBytesAsTheyAreOnMostTypes) {
  for (const char* type : {"", "custom", "aws.gp3", "aws.fsx"}) {
    EXPECT_EQ(metered_bytes(type, Operation::read, done(512, 1)).value, 512U) << type;
    EXPECT_EQ(metered_bytes(type, Operation::write, done(3 << 20, 3)).value, 3U << 20U) << type;
  }
}

TEST(Metering, CountsAThirdOfAReadOnEfsButNeverLessThan4KiBEach) {
  EXPECT_EQ(metered_bytes("aws.efs.elastic", Operation::read, done(30'000'000, 30)).value,
            10'000'000U);
  EXPECT_EQ(metered_bytes("aws.efs.elastic", Operation::read, done(1'000'000, 1)).value, 333'334U);
  EXPECT_EQ(metered_bytes("aws.efs.bursting", Operation::read, done(40960, 10)).value, 40960U);
  EXPECT_EQ(metered_bytes("aws.efs.bursting", Operation::read, done(5120, 10)).value, 40960U);
}

TEST(Metering, CountsAWriteOnEfsInFullAndARequestWithoutBytesAs4KiB) {
  EXPECT_EQ(metered_bytes("aws.efs", Operation::write, done(1 << 20, 1)).value, 1U << 20U);
  EXPECT_EQ(metered_bytes("aws.efs", Operation::write, done(512, 1)).value, 4096U);
  EXPECT_EQ(metered_bytes("aws.efs", Operation::fsync, done(0, 2)).value, 8192U);
  EXPECT_EQ(metered_bytes("aws.efs", Operation::read, done(0, 0)).value, 0U);
}

TEST(Metering, DoesNotOverflow) {
  EXPECT_EQ(metered_bytes("aws.efs", Operation::write, done(1, UINT64_MAX)).value, UINT64_MAX);
}

TEST(Metering, TakesAMixedProbeForAWriteInTheWorstCase) {
  ProbeSpec spec;
  spec.read_percent = 75;
  EXPECT_EQ(metered("aws.efs", spec, done(3 << 20, 3)).bytes.value, 3U << 20U);
  spec.read_percent = 100;
  EXPECT_EQ(metered("aws.efs", spec, done(3 << 20, 3)).bytes.value, 1U << 20U);
}

TEST(Metering, ChargesWhatEachOperationOfARunIsCountedAs) {
  ProbeReport report;
  report.measured.elapsed = 2s;
  report.measured.used[Operation::read] = done(3 << 20, 3);
  report.measured.used[Operation::fsync] = done(0, 1);
  report.layout[Operation::write] = done(1 << 20, 1);
  const Usage plain = metered_charge_of("aws.gp3", report);
  EXPECT_EQ(plain.bytes.value, 4U << 20U);
  const Usage efs = metered_charge_of("aws.efs", report);
  EXPECT_EQ(efs.bytes.value, (2U << 20U) + 4096);
  EXPECT_EQ(efs.ops, plain.ops);
  EXPECT_EQ(efs.time, plain.time);
}

}  // namespace
}  // namespace storage_probe::budget
