// SPDX-License-Identifier: Apache-2.0
#include "cli/discovery.h"

#include <gtest/gtest.h>

#include "config/config.h"
#include "config/parse_catalogue.h"

namespace storage_probe::cli {
namespace {

MountIdentity mount(const std::string& mountpoint, const std::string& device) {
  MountIdentity identity;
  identity.mountpoint = mountpoint;
  identity.fs_type = "ext4";
  identity.source = "/dev/" + device;
  identity.device = device;
  identity.size = Bytes{100 * kGiB.value};
  identity.devices = {{device, "8:" + device, "", true, identity.size}};
  return identity;
}

MountIdentity ebs(const std::string& mountpoint, const std::string& id) {
  MountIdentity identity = mount(mountpoint, "nvme1n1");
  identity.provider = "aws";
  identity.volume_id = identity.devices[0].volume_id = id;
  return identity;
}

class DiscoveryTest : public ::testing::Test {
 protected:
  DiscoveryTest() { known_.catalogue = config::built_in_catalogue(); }

  std::string text() const { return discovered_config(survey_, known_); }
  config::Config loaded() const {
    config::Loaded loaded = config::parse(text(), "found.yml");
    EXPECT_EQ(loaded.errors, std::vector<std::string>{}) << text();
    EXPECT_EQ(loaded.notes, std::vector<std::string>{}) << text();
    return std::move(loaded.config);
  }
  bool says(const std::string& part) const { return text().find(part) != std::string::npos; }

  targets::Survey survey_;
  VolumeKnowledge known_;
};

TEST_F(DiscoveryTest, IsAValidConfigurationOfNothing) { EXPECT_TRUE(loaded().targets.empty()); }

TEST_F(DiscoveryTest, HasATargetForEachMount) {
  survey_.mounts = {mount("/", "sda1"), mount("/var/lib/mysql", "sdb"), mount("/all", "sdc")};
  const config::Config config = loaded();
  ASSERT_EQ(config.targets.size(), 3U);
  EXPECT_EQ(config.targets[0].name, "root");
  EXPECT_EQ(config.targets[1].name, "var-lib-mysql");
  EXPECT_EQ(config.targets[1].path, "/var/lib/mysql");
  EXPECT_TRUE(says("/var/lib/mysql: ext4 on /dev/sdb, disks sdb, 100 GiB")) << text();
}

TEST_F(DiscoveryTest, SaysThatTheTypeOfAnEbsVolumeIsNotVisible) {
  survey_.mounts = {ebs("/data", "vol-0abc")};
  loaded();
  EXPECT_TRUE(says("volume: vol-0abc; provider: aws; type: not known")) << text();
  EXPECT_TRUE(says("a guest cannot see the type of an EBS volume")) << text();
  EXPECT_TRUE(says("docs/promises.md")) << text();
  EXPECT_TRUE(says("# volume: {type: aws.gp3, size: 100GiB, iops: 3000, throughput: 125MiB/s}"))
      << text();
}

TEST_F(DiscoveryTest, ShowsWhatAPromisesFileSaysOfAVolume) {
  survey_.mounts = {ebs("/data", "vol-0abc")};
  VolumeSpec& entry = known_.book["vol-0abc"];
  entry.type = "aws.gp3";
  entry.promise.iops = 6000;
  entry.promise.from = "file";
  loaded();
  EXPECT_TRUE(says("type: aws.gp3")) << text();
  EXPECT_TRUE(says("promise: 6000 I/Os per second")) << text();
  EXPECT_TRUE(says("(from: file)")) << text();
  EXPECT_FALSE(says("# volume: {")) << text();
}

TEST_F(DiscoveryTest, NamesAreUnique) {
  survey_.mounts = {mount("/a/b", "sda"), mount("/a-b", "sdb")};
  const config::Config config = loaded();
  ASSERT_EQ(config.targets.size(), 2U);
  EXPECT_NE(config.targets[0].name, config.targets[1].name);
}

TEST_F(DiscoveryTest, LeavesOutWhatAConfigurationCannotHold) {
  survey_.mounts = {mount("/a\nb\xff\"", "sda"), mount("/c: #d \"e\" \xc3\xa4", "sdb")};
  survey_.left_out = {{"/x\ntargets: 1", "tmpfs", "t", "tmpfs is no disk"}};
  const config::Config config = loaded();
  ASSERT_EQ(config.targets.size(), 1U) << text();
  EXPECT_EQ(config.targets[0].path, "/c: #d \"e\" \xc3\xa4");
  EXPECT_TRUE(says("a configuration cannot hold its path: /a?b?\"")) << text();
}

TEST_F(DiscoveryTest, SaysWhatIsLeftOutByReason) {
  survey_.left_out = {{"/run", "tmpfs", "t", "tmpfs is no disk"},
                      {"/b", "ext4", "/dev/a", "it is the same file system as /a"},
                      {"/tmp", "tmpfs", "t", "tmpfs is no disk"}};
  EXPECT_TRUE(says("#   tmpfs is no disk: /run, /tmp\n")) << text();
  EXPECT_TRUE(says("#   it is the same file system as /a: /b\n")) << text();
  EXPECT_TRUE(loaded().targets.empty());
}

TEST_F(DiscoveryTest, HasNoMoreTargetsThanAConfiguration) {
  for (int i = 0; i < 258; ++i)
    survey_.mounts.push_back(mount("/d" + std::to_string(i), std::to_string(i)));
  EXPECT_EQ(loaded().targets.size(), 256U);
  EXPECT_TRUE(says("there are more than 256 mounts: /d256, /d257")) << text();
}

}  // namespace
}  // namespace storage_probe::cli
