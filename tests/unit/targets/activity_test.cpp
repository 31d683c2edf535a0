// SPDX-License-Identifier: Apache-2.0
#include "targets/activity.h"

#include <gtest/gtest.h>

namespace storage_probe::targets {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr SteadyTime kStart{std::chrono::hours{1000}};

// A device that others use evenly.
class Device {
 public:
  // A second of this many reads of 4 KiB.
  void use(std::uint64_t reads, Activity::Second whose = Activity::Second::others_only) {
    now += seconds{1};
    counters.reads += Ops{reads};
    counters.bytes_read += Bytes{4096 * reads};
    activity.add({counters, now}, whose);
  }
  void use_for(int times, std::uint64_t reads) {
    for (int i = 0; i < times; ++i) use(reads);
  }

  SteadyTime now = kStart;
  DeviceCounters counters{};
  Activity activity;
};

TEST(Activity, IsTheMeanOfFiveSeconds) {
  Device device;
  device.use(0);
  EXPECT_FALSE(device.activity.others(device.now)) << "one sample is no rate";
  device.use_for(20, 700);
  device.use_for(4, 100);
  const auto others = device.activity.others(device.now);
  ASSERT_TRUE(others);
  EXPECT_DOUBLE_EQ(others->iops, (700 + 4 * 100) / 5.0);
  EXPECT_DOUBLE_EQ(others->throughput, 4096 * others->iops);
}

TEST(Activity, LeavesTheSecondsOfOurRunsOut) {
  Device device;
  device.use(0);
  device.use_for(5, 100);
  for (int i = 0; i < 10; ++i) device.use(9000, Activity::Second::ours_too);
  device.use(600);
  EXPECT_DOUBLE_EQ(device.activity.others(device.now)->iops, (4 * 100 + 600) / 5.0);
}

TEST(Activity, ForgetsWhatIsOldOrOfAnotherDevice) {
  Device device;
  device.use(0);
  device.use_for(5, 100);
  EXPECT_TRUE(device.activity.others(device.now + seconds{50}));
  EXPECT_FALSE(device.activity.others(device.now + minutes{2}));
  device.activity.forget();
  EXPECT_FALSE(device.activity.others(device.now));
}

TEST(Activity, DoesNotAverageOverASleepingMachine) {
  Device device;
  device.use(0);
  device.now += minutes{10};
  device.use(1'000'000);
  EXPECT_FALSE(device.activity.others(device.now));
}

TEST(Activity, IsBusyAboveALimit) {
  Device device;
  device.use(0);
  device.use_for(5, 1600);
  EXPECT_EQ(device.activity.why_busy({1500, {}}, device.now),
            "others do 1.6k I/Os per second, over 1.5k");
  EXPECT_EQ(device.activity.why_busy({1600, {}}, device.now), "");
  EXPECT_EQ(device.activity.why_busy({9000, 1048576.0}, device.now),
            "others move 6.25 MiB/s, over 1 MiB/s");
  EXPECT_EQ(Activity().why_busy({1, 1}, device.now), "") << "nothing is known";
}

TEST(Activity, IsBusyWhenItIsNeverFoundIdle) {
  Device device;
  device.use(0);
  device.counters.in_flight = Ops{1};
  device.use_for(4, 10);
  EXPECT_EQ(device.activity.why_busy({1000, {}}, device.now), "");
  device.use(10);
  EXPECT_EQ(device.activity.why_busy({1000, {}}, device.now),
            "others have I/Os in flight whenever it is looked at");
  device.counters.in_flight = Ops{};
  device.use(10);
  EXPECT_EQ(device.activity.why_busy({1000, {}}, device.now), "");
}

TEST(Activity, WithoutAPromiseGoesByWhatIsInFlight) {
  EXPECT_EQ(why_busy({1e6, 1e9, 4}, {}), "");
  EXPECT_EQ(why_busy({1, 1, 4.2}, {}), "others have 4.2 I/Os in flight, over 4");
  EXPECT_EQ(why_busy({1, 1, 100}, {1000, {}}), "");
}

TEST(Activity, IsBusyWhileItIsTrimmedButNotByEachCommit) {
  Device device;
  device.use(0);
  for (int i = 0; i < 10; ++i) {
    if (i % 3 == 0) device.counters.discards += Ops{3};
    device.use(1);
    EXPECT_EQ(device.activity.why_busy({1000, {}}, device.now), "");
  }
  for (int i = 0; i < 3; ++i) {
    device.counters.discards += Ops{100};
    device.use(1);
  }
  EXPECT_EQ(device.activity.why_busy({1000, {}}, device.now), "it is being trimmed");
}

TEST(BusyLimits, AreSharesOfWhatIsPromised) {
  Promise promise;
  EXPECT_EQ(busy_limits(promise, {}), BusyLimits{});
  promise.read_iops = 3000;
  promise.write_iops = 1000;
  promise.throughput = 100;
  const BusyLimits limits = busy_limits(promise, {0.5, 0.25});
  EXPECT_EQ(limits.iops, 500);
  EXPECT_EQ(limits.throughput, 25);
}

}  // namespace
}  // namespace storage_probe::targets
