// SPDX-License-Identifier: Apache-2.0
#include "targets/sysfs.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

using test::FakeSysfs;

std::vector<std::string> leaf_names(const FakeSysfs& sysfs, std::string_view number) {
  std::vector<std::string> names;
  for (const BlockDevice& leaf : find_leaves(sysfs.path(), number)) names.push_back(leaf.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Sysfs, ReadsAPlainDisk) {
  FakeSysfs sysfs;
  sysfs.add_disk("nvme1n1", "259:2", 4096);
  const auto device = find_block_device(sysfs.path(), "259:2");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->name, "nvme1n1");
  EXPECT_EQ(device->disk, "");
  EXPECT_EQ(device->size, kMiB);
  EXPECT_EQ(device->logical_block_size, Bytes{4096});
  EXPECT_EQ(leaf_names(sysfs, "259:2"), Names{"nvme1n1"});
}

TEST(Sysfs, FollowsAPartitionToItsDisk) {
  FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0", 4096);
  sysfs.add_partition("sda", "sda1", "8:1");
  const auto partition = find_block_device(sysfs.path(), "8:1");
  ASSERT_TRUE(partition);
  EXPECT_EQ(partition->disk, "8:0");
  EXPECT_EQ(partition->logical_block_size, Bytes{4096});
  EXPECT_EQ(leaf_names(sysfs, "8:1"), Names{"sda"});
}

// prometheus/node_exporter#2041
TEST(Sysfs, TakesXvda1ForADiskWhenItIsNoPartition) {
  FakeSysfs sysfs;
  sysfs.add_disk("xvda1", "202:1");
  EXPECT_EQ(leaf_names(sysfs, "202:1"), Names{"xvda1"});
}

TEST(Sysfs, FollowsDmAndMdToAllTheirLeavesOnce) {
  FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.add_disk("sdb", "8:16");
  sysfs.add_partition("sda", "sda1", "8:1");
  sysfs.add_partition("sda", "sda2", "8:2");
  sysfs.add_stack("md0", "9:0", {"sda/sda1", "sdb"});
  sysfs.add_stack("dm-0", "253:0", {"md0", "sda/sda2"});
  EXPECT_EQ(leaf_names(sysfs, "9:0"), (Names{"sda", "sdb"}));
  EXPECT_EQ(leaf_names(sysfs, "253:0"), (Names{"sda", "sdb"}));
}

TEST(Sysfs, EndsOnAStackThatContainsItself) {
  FakeSysfs sysfs;
  sysfs.add_stack("dm-0", "253:0", {"dm-1"});
  sysfs.add_stack("dm-1", "253:1", {"dm-0"});
  EXPECT_EQ(leaf_names(sysfs, "253:0"), Names{});
}

TEST(Sysfs, DoesNotKnowWhatIsNotThere) {
  const FakeSysfs sysfs;
  for (const std::string_view number : {"", "8:0", "0:22", "../../etc", "8", "a:b"}) {
    EXPECT_FALSE(find_block_device(sysfs.path(), number)) << number;
    EXPECT_TRUE(find_leaves(sysfs.path(), number).empty()) << number;
    EXPECT_FALSE(read_counters(sysfs.path(), number)) << number;
  }
}

TEST(Sysfs, FindsTheNumberOfAName) {
  FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.add_disk("dm-3", "253:3");
  sysfs.write("dm-3", "dm/name", "vg-data\n");
  EXPECT_EQ(number_of(sysfs.path(), "/dev/sda"), "8:0");
  EXPECT_EQ(number_of(sysfs.path(), "sda"), "8:0");
  EXPECT_EQ(number_of(sysfs.path(), "/dev/mapper/vg-data"), "253:3");
  for (const std::string_view unknown :
       {"/dev/mapper/other", "/dev/disk/by-id/x", "sdz", "", ".", "..", "/dev/", "tank/fs"})
    EXPECT_EQ(number_of(sysfs.path(), unknown), "") << unknown;
}

TEST(Sysfs, ReadsCounters) {
  FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  const auto counters = read_counters(sysfs.path(), "8:0");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->reads, Ops{1});
  EXPECT_EQ(counters->bytes_read, Bytes{4096});
  EXPECT_EQ(counters->writes, Ops{2});
  EXPECT_EQ(counters->bytes_written, Bytes{8192});
  EXPECT_EQ(counters->in_flight, Ops{3});
  EXPECT_EQ(counters->flushes, Ops{4});
}

TEST(Sysfs, ReadsCountersOfOlderKernelsWithoutFlushes) {
  const auto counters = parse_counters("1 0 8 0 2 0 16 0 3 0 0");
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->in_flight, Ops{3});
  EXPECT_FALSE(counters->flushes);
}

TEST(Sysfs, HasNoCountersWhereTheKernelDoesNotCount) {
  FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.add_partition("sda", "sda1", "8:1");
  EXPECT_TRUE(read_counters(sysfs.path(), "8:1"));
  sysfs.write("sda", "queue/iostats", "0\n");
  EXPECT_FALSE(read_counters(sysfs.path(), "8:0"));
  EXPECT_FALSE(read_counters(sysfs.path(), "8:1"));
}

TEST(Sysfs, RefusesCountersThatAreNone) {
  for (const std::string_view text :
       {"", "\n", "1 2 3", "1 0 8 0 2 0 16 0 3 0 x", "-1 0 8 0 2 0 16 0 3 0 0",
        "99999999999999999999 0 8 0 2 0 16 0 3 0 0"})
    EXPECT_FALSE(parse_counters(text)) << text;
}

}  // namespace
}  // namespace storage_probe::targets
