// SPDX-License-Identifier: Apache-2.0
#include "service/surroundings.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/fake_sysfs.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;

const WallTime kStart{std::chrono::seconds(1'800'000'000)};

// A volume of 100 GiB, nvme1n1, mounted at /data.
class SurroundingsTest : public testing::Test {
 protected:
  SurroundingsTest() {
    std::filesystem::create_directories(procfs_.path() / "self");
    test::write_file(procfs_.path() / "self/mountinfo",
                     "30 1 259:1 / /data rw,relatime shared:1 - ext4 /dev/nvme1n1 rw\n");
    sysfs_.add_disk("nvme1n1", "259:1");
    sysfs_.write("nvme1n1", "size", std::to_string(100 * kGiB.value / 512) + "\n");
    config_.catalogue = config::embedded_default("/").catalogue;
  }

  void configure(const VolumeSpec& volume) {
    Target target;
    target.name = "db";
    target.path = "/data";
    target.volume = volume;
    config_.targets = {target};
    surroundings_.set_config(config_);
  }
  static VolumeSpec promised(double iops) {
    VolumeSpec volume;
    volume.promise.iops = iops;
    volume.promise.from = "config";
    return volume;
  }
  std::optional<double> iops(WallTime now) {
    return surroundings_.evaluate(now).config.targets.at(0).volume.promise.iops;
  }

  test::TempDir procfs_;
  test::FakeSysfs sysfs_;
  config::Config config_;
  Surroundings surroundings_{procfs_.path(), sysfs_.path()};
};

TEST_F(SurroundingsTest, DeriveAPromiseFromWhatIsMounted) {
  VolumeSpec volume;
  volume.type = "aws.gp2";
  configure(volume);
  const auto in_force = surroundings_.evaluate(kStart);
  EXPECT_EQ(in_force.config.targets[0].volume.promise.iops, 300);
  EXPECT_EQ(in_force.terms.at("db").volume.from, "derived");
  EXPECT_EQ(in_force.terms.at("db").burst.iops, 3000);
}

TEST_F(SurroundingsTest, TheSmallerOfVolumeAndInstanceIsInForce) {
  config_.instance.iops = 2000;
  configure(promised(3000));
  EXPECT_EQ(iops(kStart), 2000);
}

TEST_F(SurroundingsTest, TheBookIsAskedByTheIdThatARunHasFound) {
  configure({});
  EXPECT_EQ(iops(kStart), std::nullopt);
  surroundings_.set_book({{"vol-0abc", promised(4000)}});
  EXPECT_EQ(iops(kStart), std::nullopt);
  MountIdentity identity;
  identity.volume_id = "vol-0abc";
  surroundings_.note_identity("db", identity);
  EXPECT_EQ(iops(kStart), 4000);
}

TEST_F(SurroundingsTest, TheLowerOfTwoPromisesHoldsForADay) {
  configure(promised(3000));
  EXPECT_EQ(iops(kStart), 3000);
  configure(promised(6000));
  EXPECT_EQ(iops(kStart + hours(1)), 3000);
  EXPECT_EQ(iops(kStart + hours(24)), 3000);
  EXPECT_EQ(iops(kStart + hours(25)), 6000);
  configure(promised(1000));
  EXPECT_EQ(iops(kStart + hours(26)), 1000);
}

TEST_F(SurroundingsTest, APromiseThatBecomesKnownHoldsAtOnce) {
  configure({});
  EXPECT_EQ(iops(kStart), std::nullopt);
  configure(promised(6000));
  EXPECT_EQ(iops(kStart + hours(1)), 6000);
}

TEST_F(SurroundingsTest, AnotherVolumeHasItsOwnPromiseAtOnce) {
  configure(promised(3000));
  iops(kStart);
  MountIdentity identity;
  identity.volume_id = "vol-2";
  surroundings_.note_identity("db", identity);
  configure(promised(6000));
  EXPECT_EQ(iops(kStart + hours(1)), 6000);
}

TEST_F(SurroundingsTest, TellEachPromiseOnceForTheHistory) {
  configure(promised(3000));
  surroundings_.evaluate(kStart);
  const auto first = surroundings_.take_changes();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].volume_id, "nvme1n1");
  EXPECT_EQ(first[0].before, first[0].now);
  surroundings_.evaluate(kStart);
  EXPECT_TRUE(surroundings_.take_changes().empty());
  configure(promised(6000));
  surroundings_.evaluate(kStart);
  const auto second = surroundings_.take_changes();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].before.iops, 3000);
  EXPECT_EQ(second[0].now.iops, 6000);
}

TEST_F(SurroundingsTest, APromiseThatChangedWhileNobodyLookedIsAChangeToo) {
  configure(promised(6000));
  EXPECT_EQ(iops(kStart), 6000);
  PromiseRecord left{"db", "nvme1n1", kStart - hours(100), promised(3000).promise,
                     promised(3000).promise};
  surroundings_.remember(left, kStart);
  EXPECT_EQ(iops(kStart), 3000);
  EXPECT_EQ(iops(kStart + hours(24)), 6000);
}

TEST_F(SurroundingsTest, AChangeOfYesterdayIsRemembered) {
  configure(promised(6000));
  iops(kStart);
  const PromiseRecord left{"db", "nvme1n1", kStart - hours(20), promised(3000).promise,
                           promised(6000).promise};
  surroundings_.remember(left, kStart);
  EXPECT_EQ(iops(kStart + hours(3)), 3000);
  EXPECT_EQ(iops(kStart + hours(5)), 6000);
}

TEST_F(SurroundingsTest, AChangeOfTheFutureIsNone) {
  configure(promised(6000));
  iops(kStart);
  surroundings_.remember(
      {"db", "nvme1n1", kStart + hours(87'600), promised(3000).promise, promised(6000).promise},
      kStart);
  EXPECT_EQ(iops(kStart), 6000);
}

TEST_F(SurroundingsTest, WhatIsKnownOfAnotherVolumeIsNot) {
  configure(promised(6000));
  iops(kStart);
  surroundings_.remember({"db", "vol-9", kStart, promised(3000).promise, promised(3000).promise},
                         kStart);
  EXPECT_EQ(iops(kStart), 6000);
}

}  // namespace
}  // namespace storage_probe::service
