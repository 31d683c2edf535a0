// SPDX-License-Identifier: Apache-2.0
#include "targets/mountinfo.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::targets {
namespace {

constexpr std::string_view kTable =
    "26 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
    "24 23 0:22 / /dev/shm rw,relatime - tmpfs first rw\n"
    "29 24 0:26 / /dev/shm rw,relatime - tmpfs second rw,size=1k\n"
    "40 26 259:3 /pg /data/db rw,noatime shared:5 master:2 - xfs /dev/nvme1n1p1 rw,attr2\n"
    "41 26 259:3 / /data/my\\040disk\\011\\134 rw - xfs /dev/nvme1n1p1 rw\n"
    "42 26 0:50 / /efs rw - nfs4 fs-1.efs.eu:/ rw,vers=4.1,port=20407\n";

TEST(Mountinfo, ReadsEveryFieldAndSkipsOptionalOnes) {
  const auto mounts = parse_mountinfo(kTable);
  ASSERT_EQ(mounts.size(), 6U);
  const Mount expected{40,           26,    "259:3",          "/pg",     "/data/db",
                       "rw,noatime", "xfs", "/dev/nvme1n1p1", "rw,attr2"};
  EXPECT_EQ(mounts[3], expected);
}

TEST(Mountinfo, UndoesOctalEscapes) {
  EXPECT_EQ(parse_mountinfo(kTable)[4].mountpoint, "/data/my disk\t\\");
}

TEST(Mountinfo, LeavesOutLinesThatDoNotParse) {
  for (const std::string_view line :
       {"", "garbage", "26 1 254:0 / / rw - ext4", "x 1 254:0 / / rw - ext4 s rw",
        "26 1 254 / / rw - ext4 s rw", "26 1 254:0 / relative rw - ext4 s rw", "- - - - -",
        "99999999999999999999999 1 254:0 / / rw - ext4 s rw", "26 1 254:0 / / rw shared:1"})
    EXPECT_TRUE(parse_mountinfo(line).empty()) << line;
  EXPECT_EQ(parse_mountinfo("garbage\n26 1 254:0 / / rw - ext4 s rw\n\nmore").size(), 1U);
}

TEST(Mountinfo, KeepsABackslashThatStartsNoEscape) {
  const auto mounts = parse_mountinfo("26 1 254:0 / /a\\9\\04\\777 rw - ext4 s rw");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].mountpoint, "/a\\9\\04\\777");
}

TEST(Mountinfo, AcceptsAnEmptySource) {
  const auto mounts = parse_mountinfo("26 1 0:5 / /a rw - tmpfs  rw,size=1k");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].source, "");
  EXPECT_EQ(mounts[0].super_options, "rw,size=1k");
}

TEST(Mountinfo, FindsTheLongestPrefixByWholeComponents) {
  const auto mounts = parse_mountinfo(kTable);
  EXPECT_EQ(find_by_path(mounts, "/data/db/base")->id, 40U);
  EXPECT_EQ(find_by_path(mounts, "/data/db/")->id, 40U);
  EXPECT_EQ(find_by_path(mounts, "/data/dbx")->id, 26U);
  EXPECT_EQ(find_by_path(mounts, "/data/db/../other")->id, 26U);
  EXPECT_EQ(find_by_path(mounts, "/data/my disk\t\\/x")->id, 41U);
}

TEST(Mountinfo, TakesTheLastOfMountsStackedOnOnePoint) {
  EXPECT_EQ(find_by_path(parse_mountinfo(kTable), "/dev/shm/x")->source, "second");
}

TEST(Mountinfo, FindsNothingInAnEmptyTableOrForARelativePath) {
  EXPECT_EQ(find_by_path({}, "/data"), nullptr);
  EXPECT_EQ(find_by_path(parse_mountinfo(kTable), "data"), nullptr);
}

TEST(Mountinfo, FindsAMountByItsId) {
  const auto mounts = parse_mountinfo(kTable);
  EXPECT_EQ(find_by_id(mounts, 42)->mountpoint, "/efs");
  EXPECT_EQ(find_by_id(mounts, 43), nullptr);
}

TEST(Mountinfo, FindsAnOptionByItsWholeKey) {
  EXPECT_EQ(find_option("rw,supper=/x,upperdir=/a\\054b,lower", "upperdir"), "/a,b");
  EXPECT_EQ(find_option("rw,supperdir=/x", "upperdir"), "");
  EXPECT_EQ(find_option("upperdir", "upperdir"), "");
}

TEST(Mountinfo, IsReadBelowTheGivenRoot) {
  const test::TempDir procfs;
  test::write_file(procfs / "self/mountinfo", kTable);
  const auto mounts = read_mountinfo(procfs.path());
  ASSERT_TRUE(mounts);
  EXPECT_EQ(mounts->size(), 6U);
  EXPECT_FALSE(read_mountinfo(procfs / "missing"));
}

TEST(Mountinfo, ReadsTheTableOfThisProcess) {
  const auto mounts = read_mountinfo("/proc");
  ASSERT_TRUE(mounts);
  EXPECT_NE(find_by_path(*mounts, "/proc"), nullptr);  // below chroot / itself is not in it
}

}  // namespace
}  // namespace storage_probe::targets
