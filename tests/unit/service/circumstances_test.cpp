// SPDX-License-Identifier: Apache-2.0
#include "service/circumstances.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::service {
namespace {

using std::chrono::seconds;

// Target "db" on /dev/sda, which is promised 1000 IOPS.
class CircumstancesTest : public testing::Test {
 protected:
  CircumstancesTest() {
    sysfs_.add_disk("sda", "8:0");
    test::write_file(procfs_ / "self/mountinfo", "36 25 8:0 / /db rw - ext4 /dev/sda rw\n");
    Target target;
    target.name = "db";
    target.path = "/db";
    target.volume.promise.iops = 1000;
    config_.targets = {target};
    circumstances_.learn_devices(config_);
  }

  // Seconds in which the disk completes this many reads each.
  void pass(int count, int reads) {
    for (int i = 0; i < count; ++i) {
      reads_ += reads;
      sysfs_.write("sda", "stat", std::to_string(reads_) + " 0 8 0 0 0 0 0 0 0 0\n");
      circumstances_.sample(now_ += seconds{1});
    }
  }
  schedule::Facts facts() const { return circumstances_.facts(now_); }

  test::FakeSysfs sysfs_;
  test::TempDir procfs_;
  config::Config config_;
  SteadyTime now_{std::chrono::hours{1000}};
  int reads_ = 0;
  Circumstances circumstances_{procfs_.path(), sysfs_.path()};
};

TEST_F(CircumstancesTest, KnowsWhatIsUnderATargetFromTheMountTable) {
  EXPECT_EQ(facts().devices.at("db"), std::vector<std::string>{"8:0"});
}

TEST_F(CircumstancesTest, SaysWhoIsBusyOnceItHasLookedTwice) {
  EXPECT_TRUE(facts().undecided.contains("db"));
  pass(2, 900);
  EXPECT_FALSE(facts().undecided.contains("db"));
  EXPECT_EQ(facts().busy.at("db"), "others do 900 I/Os per second, over 500");
  pass(5, 100);
  EXPECT_TRUE(facts().busy.empty());
}

TEST_F(CircumstancesTest, DoNotCountOurOwnRuns) {
  pass(2, 100);
  circumstances_.run_begins("db");
  pass(5, 3000);
  circumstances_.run_ends("db");
  EXPECT_TRUE(facts().busy.empty());
}

TEST_F(CircumstancesTest, FollowAReportToAnotherDevice) {
  sysfs_.add_disk("sdb", "8:16");
  MountIdentity identity;
  identity.devices = {{"sdb", "8:16", "", true}};
  circumstances_.note_identity(config_.targets[0], identity);
  pass(3, 900);
  EXPECT_TRUE(facts().busy.empty());
  EXPECT_EQ(facts().devices.at("db"), std::vector<std::string>{"8:16"});
  circumstances_.note_identity(config_.targets[0], {});
  EXPECT_EQ(facts().devices.at("db"), std::vector<std::string>{"8:16"}) << "nothing was said";
}

}  // namespace
}  // namespace storage_probe::service
