// SPDX-License-Identifier: Apache-2.0
#include "compliance/passive.h"

#include <gtest/gtest.h>

#include "unit/compliance/runs.h"

namespace storage_probe::compliance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// 3,000 IOPS at 1 ms need three in flight.
class PassiveTest : public testing::Test {
 protected:
  PassiveTest() { passive_.expect(test::promised(3000), milliseconds(1)); }

  void pass(int count, double iops, double in_flight) {
    for (int i = 0; i < count; ++i) {
      DeviceSecond second;
      second.length = seconds(1);
      second.reads = Ops{static_cast<std::uint64_t>(iops)};
      second.bytes_read = Bytes{second.reads.value * 4096};
      second.in_flight = second.in_flight_at_end = in_flight;
      passive_.add(second);
    }
  }
  std::optional<PassiveRun> take() { return passive_.take({}); }

  Passive passive_;
};

TEST_F(PassiveTest, JudgesWhatASaturatedDeviceDelivers) {
  pass(6, 3000, 8);
  EXPECT_FALSE(take()) << "it goes on";
  pass(1, 100, 0.1);
  const auto run = take();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->judgement.verdict, Verdict::compliant);
  EXPECT_NEAR(run->iops, 3000, 1);
  EXPECT_EQ(run->length, seconds(6));
  EXPECT_FALSE(take()) << "it is said once";
}

TEST_F(PassiveTest, AccusesAVolumeThatDeliversLessAlthoughItIsAskedForMore) {
  pass(59, 2000, 32);
  pass(1, 0, 0);
  EXPECT_FALSE(take()) << "that it asked for more all the time is not sure yet";
  pass(60, 2000, 32);
  const auto run = take();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->judgement.reason, Reason::below_promise);
  EXPECT_NE(run->judgement.detail.find("the application's own load"), std::string::npos);
}

TEST_F(PassiveTest, SaysNothingOfALoadThatAsksForLess) {
  pass(60, 2000, 2.5);
  pass(1, 0, 0);
  EXPECT_FALSE(take());
}

// A thousand I/Os at once, each half second, which a volume that is well does in a third of a
// second: 333 in flight on average, and nothing to do for a third of the time.
TEST_F(PassiveTest, DoesNotTakeVolleysForSaturation) {
  for (int i = 0; i < 600; ++i) {
    DeviceSecond second;
    second.length = seconds(1);
    second.reads = Ops{2000};
    second.bytes_read = Bytes{2000 * 4096};
    second.in_flight = 333;
    second.in_flight_at_end = i % 3 < 2 ? 500 : 0;
    passive_.add(second);
    EXPECT_FALSE(take());
  }
}

TEST_F(PassiveTest, NeedsFiveSecondsInARow) {
  for (int i = 0; i < 5; ++i) {
    pass(4, 2000, 8);
    pass(1, 2000, 1);
  }
  EXPECT_FALSE(take());
}

TEST_F(PassiveTest, ReportsALoadThatDoesNotEndEachMinute) {
  pass(60, 3000, 8);
  EXPECT_TRUE(take());
  pass(59, 3000, 8);
  EXPECT_FALSE(take());
  pass(1, 3000, 8);
  EXPECT_TRUE(take());
}

TEST_F(PassiveTest, SecondsWithOurOwnRunDoNotCount) {
  pass(3, 2000, 8);
  DeviceSecond ours;
  ours.length = seconds(1);
  ours.in_flight = 32;
  ours.has_ours = true;
  passive_.add(ours);
  pass(3, 2000, 8);
  pass(1, 0, 0);
  EXPECT_FALSE(take());
}

TEST_F(PassiveTest, CannotTellSaturationWithoutAnIdleLatencyOrAPromise) {
  passive_.expect(test::promised(3000), std::nullopt);
  pass(61, 2000, 300);
  EXPECT_FALSE(take());
  passive_.expect(Terms(), milliseconds(1));
  pass(61, 2000, 300);
  EXPECT_FALSE(take());
}

TEST_F(PassiveTest, LargeIoThatFillsTheThroughputIsDelivery) {
  passive_.expect(test::promised(3000, 125 * 1048576.0), milliseconds(1));
  for (int i = 0; i < 6; ++i) {
    DeviceSecond second;
    second.length = seconds(1);
    second.writes = Ops{500};
    second.bytes_written = Bytes{500 * 256 * kKiB.value};
    second.in_flight = second.in_flight_at_end = i < 5 ? 16 : 0;
    passive_.add(second);
  }
  const auto run = take();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->judgement.verdict, Verdict::compliant);
}

}  // namespace
}  // namespace storage_probe::compliance
