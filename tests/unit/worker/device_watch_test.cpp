// SPDX-License-Identifier: Apache-2.0
#include "worker/device_watch.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

CounterSample sample(int second, targets::DeviceCounters counters) {
  return {counters, SteadyTime(seconds{1000 + second})};
}

MountIdentity stack(std::vector<Device> devices) {
  MountIdentity identity;
  identity.devices = std::move(devices);
  return identity;
}

const Device kTop{"dm-0", "252:0", "", false};
const Device kFirst{"sda", "8:0", "", true};
const Device kSecond{"sdb", "8:16", "", true};

TEST(DeviceWatch, WatchesTheLeafAndOfAStripeTheTop) {
  EXPECT_EQ(DeviceWatch(stack({kFirst}), "/sys").name(), "sda");
  EXPECT_EQ(DeviceWatch(stack({kTop, kFirst}), "/sys").name(), "sda");
  EXPECT_EQ(DeviceWatch(stack({kTop, kFirst, kSecond}), "/sys").name(), "dm-0");
}

TEST(DeviceWatch, ReadsCountersWhereThereIsADevice) {
  test::FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.write("sda", "stat", "7 0 80 0 9 0 16 0 3 0 0 0 0 0 0 0 0\n");
  const auto read = DeviceWatch(stack({kFirst}), sysfs.path()).sample();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->counters.reads, Ops{7});
  EXPECT_EQ(read->counters.bytes_read, Bytes{80 * 512});
  EXPECT_FALSE(DeviceWatch(stack({kSecond}), sysfs.path()).sample());
  EXPECT_FALSE(DeviceWatch({}, sysfs.path()).sample());
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
  EXPECT_EQ(activity.ios, 60U);
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
  CounterSample soon = sample(0, reads(1000, 0));
  soon.at += milliseconds{250};
  EXPECT_FALSE(busy.is_busy(soon, {}));
  EXPECT_TRUE(busy.is_busy(sample(1, reads(1000, 0)), {}));
}

}  // namespace
}  // namespace storage_probe::worker
