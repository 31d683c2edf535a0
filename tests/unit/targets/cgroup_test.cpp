// SPDX-License-Identifier: Apache-2.0
#include "targets/cgroup.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::targets {
namespace {

class CgroupTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    const auto file = root_ / name;
    std::filesystem::create_directories(file.parent_path());
    test::write_file(file, text);
  }
  Promise limit(std::vector<std::string> devices = {"259:1"}) {
    return cgroup_limit(root_ / "proc", root_ / "sys", devices);
  }

  test::TempDir root_;
};

TEST_F(CgroupTest, OfNoGroupIsNone) {
  EXPECT_FALSE(limit().known());
  EXPECT_EQ(limit().from, "none");
  put("proc/self/cgroup", "nonsense\n:\n");
  EXPECT_FALSE(limit().known());
}

TEST_F(CgroupTest, OfVersion2IsTheLeastOfAllGroupsAbove) {
  put("proc/self/cgroup", "0::/system.slice/probe.service\n");
  put("sys/fs/cgroup/system.slice/probe.service/io.max",
      "259:1 rbps=max wbps=1048576 riops=3000 wiops=max\n8:0 rbps=1 wbps=1 riops=1 wiops=1\n");
  put("sys/fs/cgroup/system.slice/io.max", "259:1 rbps=max wbps=max riops=2000 wiops=max\n");
  const Promise found = limit();
  EXPECT_EQ(found.read_iops, 2000);
  EXPECT_EQ(found.write_iops, std::nullopt);
  EXPECT_EQ(found.write_throughput, 1048576);
  EXPECT_EQ(found.from, "/system.slice");
}

TEST_F(CgroupTest, OfVersion1IsThatOfOurOwnGroupOnly) {
  put("proc/self/cgroup", "4:cpu,blkio:/a/b\n1:name=systemd:/a/b\n");
  put("sys/fs/cgroup/blkio/a/b/blkio.throttle.read_iops_device", "8:0 1\n259:1 2500\n");
  put("sys/fs/cgroup/blkio/a/blkio.throttle.read_iops_device", "259:1 100\n");
  EXPECT_EQ(limit().read_iops, 2500);
  EXPECT_EQ(limit().from, "/a/b");
  EXPECT_FALSE(limit({"259:2"}).known());
}

TEST_F(CgroupTest, OfAStackIsThatOfAnyOfItsDevices) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/io.max", "8:16 riops=500\n");
  EXPECT_EQ(limit({"254:0", "8:0", "8:16"}).read_iops, 500);
}

TEST_F(CgroupTest, SurvivesNonsense) {
  put("proc/self/cgroup", "0::/../../../etc\n0::\n");
  put("sys/fs/cgroup/io.max", "259:1 riops=-5 wiops= rbps=nan\n259:1\n\n");
  EXPECT_EQ(limit().read_iops, std::nullopt);
}

}  // namespace
}  // namespace storage_probe::targets
