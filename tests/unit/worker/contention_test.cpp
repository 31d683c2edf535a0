// SPDX-License-Identifier: Apache-2.0
#include "worker/contention.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;

// A run of 4 KiB reads at depth 32 that completes 2,000 a second, on a volume of 3,000.
class ContentionTest : public testing::Test {
 protected:
  ContentionTest() {
    target_.volume.promise.iops = 3000;
    spec_.queue_depth = 32;
  }

  // Half a second later, in steps of 100 ms: whether it was too much by the end.
  bool pass(std::uint64_t others_per_step, Ops in_flight = Ops{32}) {
    bool is_too_much = false;
    for (int step = 0; step < 5; ++step) {
      now_ += milliseconds{100};
      ours_ += Ops{200};
      counters_.reads += Ops{200 + others_per_step};
      counters_.bytes_read += Bytes{200 * spec_.block_size.value + others_per_step * 4096};
      counters_.in_flight = in_flight;
      is_too_much = contention().is_too_much({counters_, now_}, ours_);
    }
    return is_too_much;
  }
  Contention& contention() {
    if (!contention_) contention_.emplace(target_, spec_);
    return *contention_;
  }

  Target target_;
  ProbeSpec spec_ = *find_preset("randread");
  SteadyTime now_{std::chrono::hours{1000}};
  targets::DeviceCounters counters_{};
  Ops ours_;

 private:
  std::optional<Contention> contention_;
};

TEST_F(ContentionTest, DoesNotTakeOursForOthers) {
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(pass(0));
}

TEST_F(ContentionTest, SeesOthersRiseAboveTheLimit) {
  EXPECT_FALSE(pass(100));
  EXPECT_FALSE(pass(100)) << "1,000 a second of others, and 1,500 are allowed";
  EXPECT_TRUE(pass(200));
}

TEST_F(ContentionTest, SaysNothingBeforeHalfASecond) {
  EXPECT_FALSE(contention().is_too_much({counters_, now_}, ours_));
  counters_.reads += Ops{100000};
  now_ += milliseconds{400};
  EXPECT_FALSE(contention().is_too_much({counters_, now_}, ours_));
}

// Requests of 256 KiB are cut into several by the device, and are all ours.
TEST_F(ContentionTest, DoesNotCountRequestsThatWereCut) {
  spec_.block_size = Bytes{256 * kKiB.value};
  target_.volume.promise.throughput = 2000.0 * 256 * 1024;
  pass(0);
  counters_.reads += Ops{6000};
  EXPECT_FALSE(pass(0));
  EXPECT_FALSE(pass(200)) << "4 KiB each, which is little";
  counters_.bytes_written += Bytes{kGiB.value / 2};
  EXPECT_TRUE(pass(0));
}

TEST_F(ContentionTest, WithoutAPromiseGoesByWhatIsInFlightBesideOurs) {
  target_.volume.promise = {};
  pass(300, Ops{36});
  EXPECT_FALSE(pass(300, Ops{36}));
  pass(300, Ops{37});
  EXPECT_TRUE(pass(300, Ops{37}));
}

TEST(FindOthers, SeesAnIdleDeviceAndAnInvisibleOne) {
  test::FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.write("sda", "stat", "7 0 80 0 9 0 16 0 0 0 0\n");
  MountIdentity identity;
  const targets::DeviceWatch::Roots roots{"/proc", sysfs.path()};
  EXPECT_EQ(find_others({}, targets::DeviceWatch(identity, roots)), "");
  identity.devices = {{"sda", "8:0", "", true}};
  const targets::DeviceWatch device(identity, roots);
  EXPECT_EQ(find_others({}, device), "");
  sysfs.write("sda", "stat", "7 0 80 0 9 0 16 0 6 0 0\n");
  EXPECT_EQ(find_others({}, device), "others have 6 I/Os in flight, over 4");
}

}  // namespace
}  // namespace storage_probe::worker
