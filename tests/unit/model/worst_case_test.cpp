// SPDX-License-Identifier: Apache-2.0
#include "model/worst_case.h"

#include <gtest/gtest.h>

#include <cmath>

namespace storage_probe {
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

TEST(WorstCase, OfACapacityProbeIsItsTighterLimits) {
  EXPECT_EQ(worst_case(device_target(), *find_preset("randread")),
            (Usage{2s, Bytes{50'000ULL * 4096}, Ops{50'000}}));
  EXPECT_EQ(worst_case(device_target(), *find_preset("seqread")),
            (Usage{2s, Bytes{256 * kMiB.value}, Ops{1024}}));
}

TEST(WorstCase, OfALatencyProbeIsItsRateAndNoTime) {
  EXPECT_EQ(worst_case(device_target(), *find_preset("latency")),
            (Usage{0s, Bytes{201 * 4096}, Ops{201}}));
}

TEST(WorstCase, CountsTheHeaderOfAFile) {
  EXPECT_EQ(worst_case(file_target(), *find_preset("latency")),
            (Usage{0s, Bytes{202 * 4096}, Ops{202}}));
}

TEST(WorstCase, CountsFsyncsAndVerification) {
  ProbeSpec spec = *find_preset("randwrite");
  EXPECT_EQ(worst_case(device_target(), spec).ops, Ops{50'001});
  spec.fsync_every = 100;
  EXPECT_EQ(worst_case(device_target(), spec).ops, Ops{50'501});
  spec.fsync_every = -1;
  spec.verify = true;
  EXPECT_EQ(worst_case(device_target(), spec).ops, Ops{100'001});
  EXPECT_EQ(worst_case(device_target(), spec).bytes, Bytes{100'000ULL * 4096});
  EXPECT_EQ(worst_case(device_target(), spec).time, 2 * spec.limits.time);
}

TEST(WorstCase, RoundsAPartialBlockUp) {
  ProbeSpec spec = *find_preset("seqread");
  spec.limits.bytes = Bytes{256 * 1024 + 1};
  EXPECT_EQ(worst_case(device_target(), spec).ops, Ops{2});
}

TEST(WorstCase, WithoutAnyLimitIsMoreThanAnyBudget) {
  ProbeSpec spec = *find_preset("randread");
  spec.limits = {2s, {}, {}};
  EXPECT_GT(worst_case(file_target(), spec).ops, Ops{1ULL << 50U});
  EXPECT_GT(worst_case(file_target(), spec).bytes, Bytes{1ULL << 50U});
  spec = *find_preset("latency");
  spec.rate = HUGE_VAL;
  EXPECT_GT(worst_case(file_target(), spec).ops, Ops{1ULL << 50U});
}

TEST(MostWritten, IsTheShareOfTheBlocksThatAreWrites) {
  EXPECT_EQ(most_written(*find_preset("randread")), Bytes{});
  EXPECT_EQ(most_written(*find_preset("randwrite")), Bytes{50'000ULL * 4096});
  EXPECT_EQ(most_written(*find_preset("randrw")), Bytes{12'500ULL * 4096});
}

}  // namespace
}  // namespace storage_probe
