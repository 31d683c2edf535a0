// SPDX-License-Identifier: Apache-2.0
#include "service/steering.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/fake_sysfs.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::seconds;

// A daemon that only looks, on a host where /data is a volume of 100 GiB and then is not.
class SteeringTest : public testing::Test {
 protected:
  SteeringTest() {
    mount("30 1 259:1 / /data rw - ext4 /dev/nvme1n1 rw\n");
    sysfs_.add_disk("nvme1n1", "259:1");
    sysfs_.write("nvme1n1", "size", std::to_string(100 * kGiB.value / 512) + "\n");
    config_.catalogue = config::embedded_default("/").catalogue;
  }
  void mount(const std::string& table) {
    std::filesystem::create_directories(procfs_ / "self");
    test::write_file(procfs_ / "self/mountinfo", table);
  }

  test::TempDir procfs_, storage_;
  test::FakeSysfs sysfs_;
  EventLoop loop_ = std::move(*EventLoop::create());
  metrics::Recorder recorder_;
  Logger logger_{LogLevel::error, LogFormat::logfmt};
  Runs runs_{loop_,
             recorder_,
             logger_,
             {storage_.path(), "00000000000000a1", procfs_.path(), sysfs_.path(), Mode::observe},
             [] {}};
  Steering steering_{loop_, recorder_, runs_, logger_, {procfs_.path(), sysfs_.path()}};
  config::Config config_;
};

TEST_F(SteeringTest, GivesTheRunsWhatFollowsFromWhatIsMounted) {
  Target target;
  target.name = "db";
  target.path = "/data";
  target.volume.type = "aws.gp2";
  config_.targets = {target};
  ASSERT_TRUE(steering_.take_over(config_));
  EXPECT_EQ(recorder_.find("db")->promise.iops, 300);
  EXPECT_EQ(recorder_.find("db")->terms.type, "aws.gp2");
}

TEST_F(SteeringTest, LooksAroundEveryFewSeconds) {
  config::AutoRule rule;
  rule.match.mountpoint = "/data*";
  rule.name = "{basename}";
  config_.auto_rules = {rule};
  ASSERT_TRUE(steering_.take_over(config_));
  ASSERT_NE(recorder_.find("data"), nullptr);
  mount("");
  steering_.tick(SteadyTime(seconds(1000)));
  EXPECT_EQ(recorder_.find("data"), nullptr);
  mount("30 1 259:1 / /data2 rw - ext4 /dev/nvme1n1 rw\n");
  steering_.tick(SteadyTime(seconds(1001)));
  EXPECT_EQ(recorder_.find("data2"), nullptr) << "not yet";
  steering_.tick(SteadyTime(seconds(1006)));
  EXPECT_NE(recorder_.find("data2"), nullptr);
}

}  // namespace
}  // namespace storage_probe::service
