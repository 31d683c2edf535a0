// SPDX-License-Identifier: Apache-2.0
#include "worker/device_activity.h"

#include <gtest/gtest.h>

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

targets::CounterSample sample(int second, targets::DeviceCounters counters) {
  return {counters, SteadyTime(seconds{1000 + second})};
}

Measurement measured(std::uint64_t ios_in_window, std::uint64_t ios_in_all) {
  Measurement measurement;
  measurement.operations[Operation::read].ios = ios_in_window;
  measurement.operations[Operation::read].bytes = Bytes{4096 * ios_in_window};
  measurement.used[Operation::read] = {{}, Bytes{4096 * ios_in_all}, Ops{ios_in_all}};
  measurement.duration = seconds{2};
  return measurement;
}

TEST(DeviceActivity, TellsOthersIoFromOurs) {
  const auto before = sample(0, {Ops{1000}, Ops{0}, Bytes{1 << 20}, Bytes{0}, {}, {}});
  const auto after = sample(
      4, {Ops{1000 + 120}, Ops{20}, Bytes{(1 << 20) + 120 * 4096}, Bytes{20 * 8192}, {}, {}});
  const DeviceActivity activity = device_activity("sda", before, after, measured(60, 100));
  EXPECT_EQ(activity.name, "sda");
  EXPECT_DOUBLE_EQ(activity.other_iops, 10);
  EXPECT_DOUBLE_EQ(activity.other_throughput, (20 * 4096 + 20 * 8192) / 4.0);
  EXPECT_EQ(activity.ios, 60 + 10 * 2U) << "in the measured window";
  EXPECT_EQ(activity.bytes, Bytes{60 * 4096 + (20 * 4096 + 20 * 8192) / 2});
}

TEST(DeviceActivity, IsNeverNegative) {
  // Neighbouring I/Os were merged on their way, or the device was replaced.
  const auto before = sample(0, {Ops{1000}, Ops{0}, Bytes{500}, Bytes{0}, {}, {}});
  const auto after = sample(1, {Ops{10}, Ops{5}, Bytes{20}, Bytes{0}, {}, {}});
  const DeviceActivity activity = device_activity("sda", before, after, measured(60, 100));
  EXPECT_EQ(activity.other_iops, 0);
  EXPECT_EQ(activity.other_throughput, 0);
  EXPECT_EQ(activity.ios, 3U) << "5 of 100 were seen";
  EXPECT_EQ(activity.bytes, Bytes{});
}

TEST(DeviceActivity, CountsNoRequestTwiceThatWasSentAgain) {
  // axboe/liburing#1175: every other one is EAGAIN, here 100 of 200; ten fail in the end.
  Measurement again = measured(90, 200);
  again.used[Operation::read].bytes = Bytes{100 * 4096};
  again.retries = 100;
  again.errors = {{"EIO", 10}};
  EXPECT_EQ(answered_requests(again), (Usage{{}, Bytes{90 * 4096}, Ops{90}}));
  again.retries = 1000;
  EXPECT_EQ(answered_requests(again).ops, Ops{});
  EXPECT_EQ(answered_requests(Measurement{}), Usage{});
}

targets::DeviceCounters reads(std::uint64_t ios, std::uint64_t bytes, std::uint64_t in_flight = 0) {
  return {Ops{ios}, Ops{0}, Bytes{bytes}, Bytes{0}, Ops{in_flight}, {}};
}

Target promised(std::optional<double> iops, std::optional<double> throughput) {
  Target target;
  target.volume.promise.iops = iops;
  target.volume.promise.throughput = throughput;
  return target;
}

TEST(BusyWatch, HoldsOthersReadsAgainstThePromise) {
  BusyWatch busy(promised(1000, {}));
  EXPECT_FALSE(busy.is_busy(sample(0, reads(0, 0)), {}));
  EXPECT_FALSE(busy.is_busy(sample(1, reads(500, 0)), {}));
  EXPECT_TRUE(busy.is_busy(sample(2, reads(1001, 0)), {}));
  EXPECT_EQ(busy.busy_since(), sample(2, {}).at);
  EXPECT_TRUE(busy.is_busy(sample(3, reads(2000, 0)), {}));
  EXPECT_EQ(busy.busy_since(), sample(2, {}).at);
  EXPECT_FALSE(busy.is_busy(sample(4, reads(2000, 0)), {}));
  EXPECT_FALSE(busy.busy_since());
}

TEST(BusyWatch, DoesNotCountWhatWeWrite) {
  BusyWatch busy(promised({}, 1000));
  const auto wrote = [](int second, std::uint64_t bytes) {
    return sample(second, {Ops{0}, Ops{0}, Bytes{0}, Bytes{bytes}, Ops{0}, {}});
  };
  EXPECT_FALSE(busy.is_busy(wrote(0, 0), {}));
  EXPECT_FALSE(busy.is_busy(wrote(1, 5000), Bytes{5000}));
  EXPECT_TRUE(busy.is_busy(wrote(2, 10000), Bytes{5000}));
}

TEST(BusyWatch, LooksAtIosInFlightWithoutAPromise) {
  BusyWatch busy(promised({}, {}));
  EXPECT_FALSE(busy.is_busy(sample(0, reads(0, 0, 9)), {})) << "one sample says nothing yet";
  EXPECT_TRUE(busy.is_busy(sample(1, reads(0, 0, 5)), {}));
  EXPECT_FALSE(busy.is_busy(sample(2, reads(1 << 20, 0, 4)), {}));
}

TEST(BusyWatch, SaysTheSameWithinASecond) {
  BusyWatch busy(promised(10, {}));
  busy.is_busy(sample(0, reads(0, 0)), {});
  targets::CounterSample soon = sample(0, reads(1000, 0));
  soon.at += milliseconds{250};
  EXPECT_FALSE(busy.is_busy(soon, {}));
  EXPECT_TRUE(busy.is_busy(sample(1, reads(1000, 0)), {}));
}

}  // namespace
}  // namespace storage_probe::worker
