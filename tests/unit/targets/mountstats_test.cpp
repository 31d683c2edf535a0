// SPDX-License-Identifier: Apache-2.0
#include "targets/mountstats.h"

#include <gtest/gtest.h>

#include <string>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::targets {
namespace {

std::string nfs(const std::string& mountpoint, const std::string& reads, const std::string& bytes) {
  return "device fs-1:/export mounted on " + mountpoint +
         " with fstype nfs4 statvers=1.1\n"
         "\topts:\trw,vers=4.1,rsize=1048576,proto=tcp\n"
         "\tage:\t4711\n"
         "\tevents:\t1 2 3 4 5 6 7 8 9 10 11 12\n"
         "\tbytes:\t" +
         bytes +
         "\n"
         "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
         "\txprt:\ttcp 0 0 1 0 0 77 77 0 77 0 2 0 0\n"
         "\tper-op statistics\n"
         "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
         "\t        READ: " +
         reads +
         "\n"
         "\t       WRITE: 20 20 0 90000 2000 1 30 31 0\n"
         "\tREAD_PLUS: 999 1 1 1 1 1 1 1\n"
         "\t   READDIR: 888 1 1 1 1 1 1 1\n";
}

const std::string kOthers =
    "device proc mounted on /proc with fstype proc\n"
    "device /dev/vda mounted on /mnt with fstype ext4\n"
    "device with mounted on /odd with fstype nfsd\n";

TEST(Mountstats, CountsCallsAndWhatTheServerSentAndTook) {
  const auto text =
      kOthers + nfs("/mnt", "100 101 0 20000 420000 5 60 66 1", "1 2 3 4 409600 81920 0 0");
  const auto counters = parse_mountstats(text, "/mnt");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->reads, Ops{100});
  EXPECT_EQ(counters->writes, Ops{20});
  EXPECT_EQ(counters->bytes_read, Bytes{409600});
  EXPECT_EQ(counters->bytes_written, Bytes{81920});
}

TEST(Mountstats, FindsTheMountByItsPoint) {
  const std::string text = nfs("/a", "1 1 1", "0 0 0 0 1 1") +
                           nfs("/a\\040b", "2 2 2", "0 0 0 0 2 2") + kOthers +
                           nfs("/a", "3 3 3", "0 0 0 0 3 3");
  EXPECT_EQ(parse_mountstats(text, "/a")->reads, Ops{3}) << "stacked on one point: the last";
  EXPECT_EQ(parse_mountstats(text, "/a b")->reads, Ops{2});
  EXPECT_FALSE(parse_mountstats(text, "/proc"));
  EXPECT_FALSE(parse_mountstats(text, "/b"));
}

TEST(Mountstats, SurvivesWhatItDoesNotUnderstand) {
  for (const std::string& text :
       {std::string(), std::string("\n\n"), std::string("device"),
        std::string("device  mounted on "), std::string("device x mounted on /a with fstype nfs4"),
        std::string("device x with fstype nfs4 mounted on /a"), nfs("/a", "", "1 2 3 4 5 6"),
        nfs("/a", "-1", "1 2 3 4 5 6"), nfs("/a", "1", "1 2 3 4 5"), nfs("/a", "1", "1 2 3 4 5 x"),
        nfs("/a", "99999999999999999999", "1 2 3 4 5 6"), std::string(1000, ':'),
        std::string("device x mounted on /a with fstype nfs\nbytes:\nREAD:\nWRITE:")}) {
    EXPECT_FALSE(parse_mountstats(text, "/a")) << text;
  }
}

TEST(Mountstats, AreReadFromTheProcessItself) {
  const test::TempDir procfs;
  EXPECT_FALSE(read_mountstats(procfs.path(), "/a"));
  test::write_file(procfs / "self/mountstats", nfs("/a", "7 7", "0 0 0 0 1 1 0 0"));
  ASSERT_TRUE(read_mountstats(procfs.path(), "/a"));
  EXPECT_EQ(read_mountstats(procfs.path(), "/a")->reads, Ops{7});
}

}  // namespace
}  // namespace storage_probe::targets
