// SPDX-License-Identifier: Apache-2.0
#include "targets/activity_watch.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

using std::chrono::seconds;

MountIdentity on(std::string name, std::string number) {
  MountIdentity identity;
  identity.devices = {{std::move(name), std::move(number), "", true}};
  return identity;
}

// Targets "a" and "b" on disks of their own, promised 1000 IOPS each.
class ActivityWatchTest : public testing::Test {
 protected:
  ActivityWatchTest() {
    sysfs_.add_disk("sda", "8:0");
    sysfs_.add_disk("sdb", "8:16");
    watch_.watch(target("a"), on("sda", "8:0"));
    watch_.watch(target("b"), on("sdb", "8:16"));
  }

  static Target target(const std::string& name) {
    Target target;
    target.name = name;
    target.volume.promise.iops = 1000;
    return target;
  }
  // Some seconds in which the disks complete this many reads each.
  void pass(int count, int of_a, int of_b) {
    for (int i = 0; i < count; ++i) {
      a_ += of_a;
      b_ += of_b;
      now_ += seconds{1};
      write("sda", a_);
      write("sdb", b_);
      watch_.sample(now_);
    }
  }
  void write(const std::string& disk, int reads) {
    sysfs_.write(disk, "stat", std::to_string(reads) + " 0 8 0 0 0 0 0 0 0 0\n");
  }
  std::set<std::string> busy() const {
    std::set<std::string> names;
    for (const auto& [name, why] : watch_.busy(now_)) names.insert(name);
    return names;
  }
  using Names = std::set<std::string>;

  test::FakeSysfs sysfs_;
  SteadyTime now_{std::chrono::hours{1000}};
  int a_ = 0, b_ = 0;
  ActivityWatch watch_{{"/nonexistent", sysfs_.path()}};
};

TEST_F(ActivityWatchTest, TellsWhichTargetIsBusy) {
  pass(6, 600, 400);
  EXPECT_EQ(busy(), Names{"a"});
  watch_.forget("a");
  EXPECT_EQ(busy(), Names{});
}

TEST_F(ActivityWatchTest, DoesNotTakeOurRunsForOthers) {
  pass(6, 10, 10);
  watch_.run_begins("a");
  pass(3, 5000, 10);
  watch_.run_ends("a");
  pass(1, 2500, 10);  // the run ended within this second
  EXPECT_EQ(busy(), Names{});
  pass(5, 5000, 10);
  EXPECT_EQ(busy(), Names{"a"});
}

TEST_F(ActivityWatchTest, TellsWhatEachDeviceDidInASecond) {
  pass(1, 0, 0);
  EXPECT_TRUE(watch_.seconds().empty());
  now_ += std::chrono::milliseconds{500};
  sysfs_.write("sda", "stat", "40 0 80 0 10 0 160 0 3 0 4000\n");
  sysfs_.write("sdb", "stat", "0 0 8 0 0 0 0 0 0 0 0\n");
  watch_.run_begins("b");
  watch_.sample(now_);
  ASSERT_EQ(watch_.seconds().size(), 2U);
  const DeviceSecond& second = watch_.seconds().at("a");
  EXPECT_EQ(second.length, std::chrono::milliseconds{500});
  EXPECT_EQ(second.reads, Ops{40});
  EXPECT_EQ(second.writes, Ops{10});
  EXPECT_EQ(second.bytes_read, Bytes{72 * 512});
  EXPECT_EQ(second.bytes_written, Bytes{160 * 512});
  EXPECT_DOUBLE_EQ(second.in_flight, 8);  // 4 s of waiting in half a second
  EXPECT_DOUBLE_EQ(second.in_flight_at_end, 3);
  EXPECT_FALSE(second.has_ours);
  EXPECT_TRUE(watch_.seconds().at("b").has_ours);
}

TEST_F(ActivityWatchTest, CountsNothingForADeviceThatWasReplaced) {
  pass(2, 1000, 0);
  now_ += seconds{1};
  write("sda", 3);
  watch_.sample(now_);
  EXPECT_EQ(watch_.seconds().at("a").reads, Ops{0});
}

TEST_F(ActivityWatchTest, HoldsAllTargetsOnTheDeviceOfARun) {
  watch_.watch(target("b"), on("sda", "8:0"));
  pass(6, 10, 0);
  watch_.run_begins("a");
  watch_.run_ends("a");  // short, but it was there
  pass(1, 9000, 0);
  EXPECT_EQ(busy(), Names{});
}

TEST_F(ActivityWatchTest, IsUndecidedUntilItHasLookedTwice) {
  EXPECT_EQ(watch_.undecided(), (Names{"a", "b"}));
  pass(1, 0, 0);
  EXPECT_EQ(watch_.undecided(), (Names{"a", "b"}));
  pass(1, 0, 0);
  EXPECT_EQ(watch_.undecided(), Names{});
  watch_.watch(target("c"), {});  // has no counters
  pass(1, 0, 0);
  EXPECT_EQ(watch_.undecided(), Names{});
}

TEST_F(ActivityWatchTest, KeepsWhatItKnowsWhileTheDeviceStays) {
  pass(6, 600, 0);
  Target generous = target("a");
  generous.busy.max_other_iops = 0.9;
  watch_.watch(generous, on("sda", "8:0"));
  EXPECT_EQ(watch_.undecided(), Names{});
  EXPECT_EQ(busy(), Names{});
  watch_.watch(target("a"), on("sda", "8:0"));
  EXPECT_EQ(busy(), Names{"a"});
  watch_.watch(target("a"), on("sdb", "8:16"));
  EXPECT_EQ(watch_.undecided(), Names{"a"});
}

TEST_F(ActivityWatchTest, HoldsTheSumOfAllVolumesAgainstTheHostsLimit) {
  Promise instance;
  instance.iops = 1500;
  watch_.set_instance(instance);
  watch_.watch(target("again"), on("sda", "8:0"));  // counted once
  pass(6, 400, 300);
  EXPECT_EQ(busy(), Names{});
  pass(6, 400, 400);
  EXPECT_EQ(busy(), (Names{"a", "again", "b"}));
  EXPECT_EQ(watch_.busy(now_).at("b"),
            "on all volumes of this host others do 800 I/Os per second, over 750");
}

TEST_F(ActivityWatchTest, KnowsNothingOfADeviceThatIsGone) {
  pass(6, 600, 0);
  sysfs_.write("sda", "stat", "");
  watch_.sample(now_ += seconds{1});
  EXPECT_EQ(busy(), Names{});
}

}  // namespace
}  // namespace storage_probe::targets
