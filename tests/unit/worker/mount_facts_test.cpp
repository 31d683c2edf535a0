// SPDX-License-Identifier: Apache-2.0
#include "worker/mount_facts.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::worker {
namespace {

class MountFacts : public testing::Test {
 protected:
  MountFacts() {
    sysfs_.add_disk("sda", "8:0", 4096);
    test::write_file(procfs_ / "self/mountinfo",
                     "20 1 8:0 / / rw - ext4 /dev/sda rw\n"
                     "21 20 0:30 / /tmp rw - tmpfs tmpfs rw\n");
  }
  engine::Checked<engine::MountFacts> find(std::optional<std::uint64_t> mount_id,
                                           const std::filesystem::path& path = "/data") {
    engine::TargetDirectory directory;
    directory.path = path;
    directory.mount_id = mount_id;
    directory.device = device_;
    return find_mount_facts(directory, target_, procfs_.path(), sysfs_.path());
  }

  Target target_;
  std::string device_;
  test::FakeSysfs sysfs_;
  test::TempDir procfs_;
};

TEST_F(MountFacts, AreThoseOfTheMountThatWasOpened) {
  const auto facts = find(20, "/tmp");
  ASSERT_TRUE(facts) << facts.failure().message;
  EXPECT_EQ(facts->identity.mountpoint, "/");
  EXPECT_EQ(facts->identity.device, "sda");
  EXPECT_EQ(facts->not_a_disk, "");
  EXPECT_FALSE(facts->is_network);
  EXPECT_EQ(facts->logical_block_size, Bytes{4096});
}

TEST_F(MountFacts, GoByThePathOnKernelsThatDoNotTellTheMount) {
  const auto facts = find(std::nullopt, "/tmp/x");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->identity.mountpoint, "/tmp");
  EXPECT_EQ(facts->not_a_disk, "tmpfs");
}

TEST_F(MountFacts, MustBeInTheTableOfThisProcess) {
  const auto facts = find(99);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.failure().code, "namespace_mismatch");
}

TEST_F(MountFacts, OfAnyDirectoryMayComeFromItsDeviceAlone) {
  target_.any_directory = true;
  device_ = "8:0";
  const auto facts = find(99);
  ASSERT_TRUE(facts) << facts.failure().message;
  EXPECT_EQ(facts->identity.device, "sda");
  EXPECT_EQ(facts->identity.source, "/dev/sda");
  EXPECT_EQ(facts->logical_block_size, Bytes{4096});
}

TEST_F(MountFacts, OfAnyDirectoryOnAnUnknownDeviceAreNone) {
  target_.any_directory = true;
  device_ = "8:16";
  EXPECT_FALSE(find(99));
  device_.clear();
  EXPECT_FALSE(find(99));
}

}  // namespace
}  // namespace storage_probe::worker
