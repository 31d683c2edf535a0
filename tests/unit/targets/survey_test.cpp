// SPDX-License-Identifier: Apache-2.0
#include "targets/survey.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

class SurveyTest : public ::testing::Test {
 protected:
  SurveyTest() {
    sysfs_.add_disk("sda", "8:0");
    sysfs_.add_partition("sda", "sda1", "8:1");
    sysfs_.add_partition("sda", "sda2", "8:2");
    sysfs_.add_disk("sdb", "8:16");
    sysfs_.add_disk("sdc", "8:32");
    sysfs_.add_btrfs("0a-1b", {"sdb", "sdc"});
  }

  Survey look(std::string_view table) const {
    test::write_file(procfs_ / "self/mountinfo", table);
    auto found = survey(procfs_.path(), {sysfs_.path(), procfs_ / "run"});
    EXPECT_TRUE(found);
    return found ? *std::move(found) : Survey{};
  }
  // Mount points that are real.
  std::string real(std::string_view table) const {
    std::string text;
    for (const MountIdentity& mount : look(table).mounts)
      text += (text.empty() ? "" : " ") + mount.mountpoint;
    return text;
  }
  // Why the mount of a table of one is left out.
  std::string why(std::string_view line) const {
    const Survey found = look(line);
    return found.left_out.empty() ? "" : found.left_out[0].why;
  }

  test::FakeSysfs sysfs_;
  test::TempDir procfs_;
};

TEST_F(SurveyTest, NamesEachFileSystemWithWhatIsUnderIt) {
  const Survey found = look(
      "26 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "27 26 8:16 / /data rw - xfs /dev/sdb rw\n"
      "28 26 0:50 / /nas rw - nfs4 nas:/x rw\n");
  ASSERT_EQ(found.mounts.size(), 3U);
  EXPECT_EQ(leaf_numbers(found.mounts[0]), std::vector<std::string>{"8:0"});
  EXPECT_EQ(found.mounts[2].backend, "nas");
  EXPECT_TRUE(found.left_out.empty());
}

TEST_F(SurveyTest, SaysWhyAMountIsLeftOut) {
  EXPECT_EQ(why("26 1 0:30 / /run rw - tmpfs tmpfs rw"), "tmpfs is no disk");
  EXPECT_EQ(why("26 1 8:1 / /boot/efi rw - vfat /dev/sda1 rw"),
            "it is read when the host starts, and hardly ever later");
  EXPECT_EQ(why("26 1 8:1 /x/hosts /etc/hosts rw - ext4 /dev/sda1 rw"),
            "it is a single file of a container engine");
  EXPECT_EQ(why("26 1 8:1 / /iso ro - iso9660 /dev/sda1 ro"),
            "it is read-only: a probe file cannot be written there");
  EXPECT_EQ(why("26 1 8:1 / /x rw - ext4 /dev/sda1 ro,errors=remount-ro"),
            "it is read-only: a probe file cannot be written there");
  EXPECT_EQ(why("26 1 0:51 / /pool rw - fuse.mergerfs a:b rw"),
            "which disk is behind fuse.mergerfs is not known");
  EXPECT_EQ(why("26 1 8:1 / /x rw - ext4 /dev/sda1 rw,errors=remount-ro"), "");
}

TEST_F(SurveyTest, ListsAFileSystemOnce) {
  const Survey found = look(
      "26 1 8:1 /srv/db /a rw - ext4 /dev/sda1 rw\n"
      "27 1 8:1 / /mnt/all rw - ext4 /dev/sda1 rw\n"
      "28 1 0:40 /@home /home rw - btrfs /dev/sdb rw,subvol=/@home\n"
      "29 1 0:40 /@ /pool rw - btrfs /dev/sdc rw,subvol=/@\n"
      "30 1 0:50 / /nfs/b rw - nfs4 nas:/x rw\n"
      "31 1 0:51 / /nfs/a rw - nfs4 nas:/x rw\n"
      "32 1 8:2 / /other rw - ext4 /dev/sda2 rw\n");
  ASSERT_EQ(found.mounts.size(), 4U);
  EXPECT_EQ(found.mounts[0].mountpoint, "/mnt/all");
  EXPECT_EQ(found.mounts[1].mountpoint, "/pool");
  EXPECT_EQ(found.mounts[2].mountpoint, "/nfs/a");
  EXPECT_EQ(found.mounts[3].mountpoint, "/other");
  ASSERT_EQ(found.left_out.size(), 3U);
  EXPECT_EQ(found.left_out[0],
            (Survey::LeftOut{"/a", "ext4", "/dev/sda1", "it is the same file system as /mnt/all"}));
}

TEST_F(SurveyTest, SeesOnlyTheLastOfMountsOnOnePoint) {
  EXPECT_EQ(real("26 1 8:1 / /x rw - ext4 /dev/sda1 rw\n"
                 "27 26 8:16 / /x rw - xfs /dev/sdb rw\n"),
            "/x");
  EXPECT_EQ(look("26 1 8:1 / /x rw - ext4 /dev/sda1 rw\n"
                 "27 26 0:30 / /x rw - tmpfs tmpfs rw\n")
                .left_out[0]
                .why,
            "another mount hides it");
}

TEST_F(SurveyTest, KeepsWhatIsARealFileSystemOnAnUnknownDisk) {
  EXPECT_EQ(real("26 1 0:50 / /tank rw - zfs tank rw"), "/tank");
  EXPECT_EQ(real("26 1 0:44 / / rw - overlay overlay rw,upperdir=/host/u"), "/");
}

TEST_F(SurveyTest, NeedsAMountTable) {
  EXPECT_FALSE(survey(procfs_ / "none", {sysfs_.path()}));
  EXPECT_TRUE(look("").mounts.empty());
}

}  // namespace
}  // namespace storage_probe::targets
