// SPDX-License-Identifier: Apache-2.0
#include "engine/preflight.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/checked_directory.h"
#include "support/files.h"
#include "support/in_child.h"
#include "support/temp_dir.h"
#include "support/test_volume.h"

namespace storage_probe::engine {
namespace {

using test::TempDir;
using test::TestVolume;

MountFacts root_mount() {
  MountFacts facts;
  facts.identity.mountpoint = "/";
  facts.identity.fs_type = "ext4";
  facts.identity.source = "/dev/vda";
  return facts;
}

Target target_at(const std::filesystem::path& path) {
  Target target;
  target.path = path;
  return target;
}

// What check_mount says of a directory that is no mount point: "" or "code: message".
std::string verdict(const TempDir& dir, const Target& target, const MountFacts& facts) {
  auto opened = open_target(dir.path());
  if (!opened) return opened.failure().message;
  const auto checked = check_mount(*std::move(opened), target, facts);
  return checked ? "" : checked.failure().code + ": " + checked.failure().message;
}

TEST(OpenTarget, SaysThatAMissingPathIsNotMounted) {
  const auto opened = open_target("/nonexistent/data");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.failure().code, "not_mounted");
  EXPECT_EQ(opened.failure().message, "/nonexistent/data does not exist: create and mount it");
}

TEST(OpenTarget, RefusesAFile) {
  const TempDir dir;
  const auto opened = open_target(test::write_file(dir / "file", ""));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.failure().code, "not_mounted");
}

TEST(OpenTarget, NamesTheRealPathOfASymbolicLink) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "real");
  std::filesystem::create_symlink(dir / "real", dir / "link");
  for (const std::string name : {"link", "link/", "x/../link/."}) {
    const auto opened = open_target(dir / name);
    ASSERT_FALSE(opened) << name;
    EXPECT_EQ(opened.failure().code, "not_mounted");
    EXPECT_NE(opened.failure().message.find("is a symbolic link to " + (dir / "real").string()),
              std::string::npos);
  }
}

TEST(OpenTarget, TellsTheMountAndWhetherItIsItsRoot) {
  const TempDir dir;
  const auto root = open_target("/proc");
  const auto inside = open_target(dir.path());
  ASSERT_TRUE(root && inside);
  if (!root->is_mount_root) GTEST_SKIP() << "Linux before 5.8";
  EXPECT_TRUE(*root->is_mount_root);
  EXPECT_FALSE(*inside->is_mount_root);
  EXPECT_TRUE(inside->mount_id);
}

TEST(OpenTarget, SaysWhoseUidMayNotGetThere) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const TempDir dir;
  std::filesystem::create_directory(dir / "target");
  const std::string said = test::in_child([&] {
    if (::seteuid(65534) != 0) return std::string("no");
    const auto opened = open_target(dir / "target");
    return opened ? "" : opened.failure().code + " " + opened.failure().message;
  });
  EXPECT_EQ(said, "permission_denied open " + (dir / "target").string() +
                      ": Permission denied for uid 65534");
}

TEST(CheckMount, RefusesADirectoryThatIsNoMountPointAndWritesNothing) {
  const TempDir dir;
  EXPECT_EQ(
      verdict(dir, target_at(dir.path()), root_mount()),
      "not_mounted: " + dir.path().string() + " is on / (ext4, /dev/vda): mount it, or add expect");
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(CheckMount, ComparesPathsWhereTheKernelDoesNotSay) {
  TargetDirectory directory;
  directory.path = "/data";
  MountFacts facts = root_mount();
  facts.identity.mountpoint = "/data";
  EXPECT_TRUE(check_mount(std::move(directory), target_at("/data"), facts));
}

TEST(CheckMount, AcceptsADirectoryOnWhatIsExpected) {
  const TempDir dir;
  Target target = target_at(dir.path());
  target.expect = {"ext4", "/dev/vda", ""};
  EXPECT_EQ(verdict(dir, target, root_mount()), "");
}

TEST(CheckMount, RefusesAnyOtherMountThanTheExpectedOne) {
  const TempDir dir;
  Target target = target_at(dir.path());
  const std::string start =
      "wrong_mount: " + dir.path().string() + " is on / (ext4, /dev/vda), but expect says ";
  target.expect = {"xfs", "", ""};
  EXPECT_EQ(verdict(dir, target, root_mount()), start + "fstype xfs");
  target.expect = {"ext4", "/dev/nvme1n1", ""};
  EXPECT_EQ(verdict(dir, target, root_mount()), start + "source /dev/nvme1n1");
  target.expect = {"", "", "vol-1"};
  EXPECT_EQ(verdict(dir, target, root_mount()),
            start + "volume_id vol-1 (the volume's own is unknown)");
  MountFacts other = root_mount();
  other.identity.volume_id = "vol-2";
  EXPECT_EQ(verdict(dir, target, other), start + "volume_id vol-1 (this is vol-2)");
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(CheckMount, RefusesWhatIsNoDiskAlsoForAnyDirectory) {
  const TempDir dir;
  Target target = target_at(dir.path());
  target.any_directory = true;
  EXPECT_EQ(verdict(dir, target, root_mount()), "");
  MountFacts facts = root_mount();
  facts.not_a_disk = "overlay on tmpfs";
  EXPECT_EQ(verdict(dir, target, facts),
            "not_a_disk: " + dir.path().string() + " is overlay on tmpfs, which is no disk");
}

TEST(CheckMount, AcceptsAMountPoint) {
  const TestVolume volume(TestVolume::Kind::tmpfs);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  auto opened = open_target(volume.mountpoint());
  ASSERT_TRUE(opened);
  EXPECT_TRUE(check_mount(*std::move(opened), target_at(volume.mountpoint()), root_mount()));
}

TEST(CheckDataDirectory, KnowsDatabasesByTheirFiles) {
  for (const char* name : {"PG_VERSION", "ibdata1", "mysql.ibd", "WiredTiger", "meta.properties",
                           "recovery-point-offset-checkpoint", "member/snap"}) {
    const TempDir dir;
    test::write_file(dir / name, "");
    const auto failure = check_data_directory(test::checked(dir.path()), {});
    ASSERT_TRUE(failure) << name;
    EXPECT_EQ(failure->code, "data_directory");
    EXPECT_NE(failure->message.find("file.directory"), std::string::npos);
  }
}

TEST(CheckDataDirectory, LetsOtherDirectoriesPass) {
  const TempDir dir;
  test::write_file(dir / "member", "a file");
  test::write_file(dir / "data/PG_VERSION", "");
  EXPECT_FALSE(check_data_directory(test::checked(dir.path()), {}));
}

TEST(CheckDataDirectory, YieldsToTheOperatorsWord) {
  const TempDir dir;
  test::write_file(dir / "PG_VERSION", "15");
  ProbeFileSpec spec;
  spec.directory_is_explicit = true;
  EXPECT_FALSE(check_data_directory(test::checked(dir.path()), spec));
}

TEST(CheckWritable, FindsAReadOnlyMount) {
  const TestVolume volume(TestVolume::Kind::tmpfs);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto directory = test::checked(volume.mountpoint());
  EXPECT_FALSE(check_writable(directory));
  ASSERT_TRUE(volume.remount_read_only());
  const auto failure = check_writable(directory);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "read_only");
}

}  // namespace
}  // namespace storage_probe::engine
