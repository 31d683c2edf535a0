// SPDX-License-Identifier: Apache-2.0
#include "targets/device_watch.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

MountIdentity stack(std::vector<Device> devices) {
  MountIdentity identity;
  identity.devices = std::move(devices);
  return identity;
}

const Device kTop{"dm-0", "252:0", "", false};
const Device kFirst{"sda", "8:0", "", true};
const Device kSecond{"sdb", "8:16", "", true};

const Device kPlain{"vdb", "253:16", "", true};

std::string watched(std::vector<Device> devices) {
  return DeviceWatch(stack(std::move(devices)), {"/proc", "/nonexistent"}).name();
}

TEST(DeviceWatch, WatchesTheLeafAndOfAStripeTheTop) {
  EXPECT_EQ(watched({kFirst}), "sda");
  EXPECT_EQ(watched({kTop, kFirst}), "sda");
  EXPECT_EQ(watched({kTop, kFirst, kSecond}), "dm-0");
}

TEST(DeviceWatch, WatchesAllThatAFileSystemIsOn) {
  EXPECT_EQ(watched({kFirst, kSecond}), "sda+sdb");
  test::FakeSysfs sysfs;  // a btrfs on a stripe and a disk
  sysfs.add_disk("sda", "8:0");
  sysfs.add_disk("sdb", "8:16");
  sysfs.add_disk("vdb", "253:16");
  sysfs.add_stack("dm-0", "252:0", {"sda", "sdb"});
  const DeviceWatch watch(stack({kTop, kPlain, kFirst, kSecond}), {"/proc", sysfs.path()});
  EXPECT_EQ(watch.name(), "dm-0+vdb");
  sysfs.write("dm-0", "stat", "7 0 80 0 9 0 16 0 3 0 0\n");
  sysfs.write("vdb", "stat", "1 0 8 0 1 0 8 0 1 0 0\n");
  ASSERT_TRUE(watch.read());
  EXPECT_EQ(watch.read()->reads, Ops{8});
  EXPECT_EQ(watch.read()->bytes_written, Bytes{24 * 512});
  sysfs.write("vdb", "stat", "");
  EXPECT_FALSE(watch.read()) << "one that is gone";
}

TEST(DeviceWatch, ReadsCountersWhereThereIsADevice) {
  test::FakeSysfs sysfs;
  sysfs.add_disk("sda", "8:0");
  sysfs.write("sda", "stat", "7 0 80 0 9 0 16 0 3 0 0 0 0 0 0 0 0\n");
  const DeviceWatch::Roots roots{"/proc", sysfs.path()};
  const auto read = DeviceWatch(stack({kFirst}), roots).read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->reads, Ops{7});
  EXPECT_EQ(read->bytes_read, Bytes{80 * 512});
  EXPECT_FALSE(DeviceWatch(stack({kSecond}), roots).read());
  EXPECT_FALSE(DeviceWatch({}, roots).read());
}

TEST(DeviceWatch, AsksTheNfsClientWhereThereIsNone) {
  const test::TempDir procfs;
  test::write_file(procfs / "self/mountstats",
                   "device s:/x mounted on /mnt with fstype nfs statvers=1.1\n"
                   "bytes: 0 0 0 0 8192 0\nREAD: 2 2\nWRITE: 0 0\n");
  MountIdentity identity;
  identity.fs_type = "nfs";
  identity.mountpoint = "/mnt";
  identity.source = "s:/x";
  const DeviceWatch watch(identity, {procfs.path(), "/nonexistent"});
  EXPECT_EQ(watch.name(), "s:/x");
  ASSERT_TRUE(watch.read());
  EXPECT_EQ(watch.read()->reads, Ops{2});
}

TEST(DeviceWatch, SaysWhatAnArrayInTheStackDoesByItself) {
  test::FakeSysfs sysfs;  // LVM on a mirror of md
  sysfs.add_disk("sda", "8:0");
  sysfs.add_disk("sdb", "8:16");
  sysfs.add_stack("md0", "9:0", {"sda", "sdb"});
  sysfs.add_stack("dm-0", "252:0", {"md0"});
  sysfs.write("md0", "md/sync_action", "idle\n");
  const DeviceWatch watch(stack({kTop, kFirst, kSecond}), {"/proc", sysfs.path()});
  EXPECT_EQ(watch.maintenance(), "");
  sysfs.write("md0", "md/sync_action", "resync\n");
  EXPECT_EQ(watch.maintenance(), "md0 is at work by itself (resync)");
  EXPECT_EQ(DeviceWatch(stack({kPlain}), {"/proc", sysfs.path()}).maintenance(), "");
}

}  // namespace
}  // namespace storage_probe::targets
