// SPDX-License-Identifier: Apache-2.0
#include "targets/resolve.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

using test::FakeSysfs;
using Numbers = std::vector<std::string>;

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest() {
    sysfs_.add_disk("sda", "8:0");
    sysfs_.add_partition("sda", "sda1", "8:1");
    sysfs_.add_disk("nvme1n1", "259:2");
    sysfs_.add_disk("nvme2n1", "259:3");
    sysfs_.add_stack("dm-0", "253:0", {"nvme1n1", "nvme2n1"});
    sysfs_.add_btrfs("0a-1b", {"nvme1n1", "nvme2n1"});
  }

  // The identity of what is mounted at `path` in a table.
  MountIdentity identity(std::string_view table, const char* path) const {
    const auto mounts = parse_mountinfo(table);
    const Mount* const mount = find_by_path(mounts, path);
    return mount == nullptr ? MountIdentity{} : resolve(*mount, mounts, {sysfs_.path()});
  }

  FakeSysfs sysfs_;
};

TEST_F(ResolveTest, NamesTheDiskUnderAPartition) {
  const auto found = identity("26 1 8:1 / / rw - ext4 /dev/sda1 rw", "/");
  EXPECT_EQ(found.mountpoint, "/");
  EXPECT_EQ(found.fs_type, "ext4");
  EXPECT_EQ(found.source, "/dev/sda1");
  EXPECT_EQ(found.device, "sda1");
  EXPECT_EQ(found.devices, (std::vector<Device>{{"sda1", "8:1", "", false, kMiB},
                                                {"sda", "8:0", "", true, kMiB}}));
  EXPECT_EQ(leaf_numbers(found), Numbers{"8:0"});
}

TEST_F(ResolveTest, ListsAPlainDiskOnceAsALeaf) {
  const auto found = identity("26 1 259:2 / /data rw - xfs /dev/nvme1n1 rw", "/data");
  EXPECT_EQ(found.devices, (std::vector<Device>{{"nvme1n1", "259:2", "", true, kMiB}}));
}

TEST_F(ResolveTest, ListsTheLeavesOfALogicalVolume) {
  const auto found = identity("26 1 253:0 / /data rw - xfs /dev/mapper/vg-data rw", "/data");
  EXPECT_EQ(found.device, "dm-0");
  EXPECT_EQ(leaf_numbers(found), (Numbers{"259:2", "259:3"}));
}

TEST_F(ResolveTest, ResolvesABindMountToTheSameDevices) {
  const auto found = identity(
      "26 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "27 26 8:1 /srv/db /data rw - ext4 /dev/sda1 rw",
      "/data");
  EXPECT_EQ(found.mountpoint, "/data");
  EXPECT_EQ(leaf_numbers(found), Numbers{"8:0"});
}

TEST_F(ResolveTest, FindsAllMembersOfABtrfsBehindItsSource) {
  const auto found = identity("26 1 0:40 /@ /data rw - btrfs /dev/nvme2n1 rw,subvol=/@", "/data");
  EXPECT_EQ(leaf_numbers(found), (Numbers{"259:2", "259:3"}));
}

TEST_F(ResolveTest, FindsTheSourceOfABtrfsThatSysfsDoesNotList) {
  const auto found = identity("26 1 0:40 / /data rw - btrfs /dev/sda1 rw", "/data");
  EXPECT_EQ(found.device, "sda1");
  EXPECT_EQ(leaf_numbers(found), Numbers{"8:0"});
}

TEST_F(ResolveTest, SplitsTheSourcesOfABcachefs) {
  const auto found = identity("26 1 0:41 / /d rw - bcachefs /dev/nvme1n1:/dev/sda1 rw", "/d");
  EXPECT_EQ(leaf_numbers(found), (Numbers{"259:2", "8:0"}));
}

TEST_F(ResolveTest, ResolvesAnOverlayThroughItsUpperDirectory) {
  constexpr std::string_view kTable =
      "26 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "27 26 0:44 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/var/u,workdir=/w";
  const auto found = identity(kTable, "/merged");
  EXPECT_EQ(found.fs_type, "overlay");
  EXPECT_EQ(found.mountpoint, "/merged");
  EXPECT_EQ(leaf_numbers(found), Numbers{"8:0"});
  const auto mounts = parse_mountinfo(kTable);
  EXPECT_EQ(why_not_a_disk(mounts[1], mounts), "");
}

TEST_F(ResolveTest, KnowsThatAnOverlayOnTmpfsIsNoDisk) {
  const auto mounts = parse_mountinfo(
      "26 1 0:30 / /run rw - tmpfs tmpfs rw\n"
      "27 26 0:44 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/run/u,workdir=/run/w");
  EXPECT_EQ(why_not_a_disk(mounts[1], mounts), "overlay on tmpfs");
  EXPECT_TRUE(resolve(mounts[1], mounts, {sysfs_.path()}).devices.empty());
}

TEST_F(ResolveTest, LeavesAnOverlayUnknownWhenItsUpperDirectoryIsNotVisible) {
  const auto mounts = parse_mountinfo("27 1 0:44 / / rw - overlay overlay rw,upperdir=/host/u");
  EXPECT_EQ(why_not_a_disk(mounts[0], mounts), "");
  EXPECT_TRUE(leaf_numbers(resolve(mounts[0], mounts, {sysfs_.path()})).empty());
}

TEST_F(ResolveTest, EndsOnOverlaysThatNameEachOther) {
  const auto mounts = parse_mountinfo(
      "26 1 0:43 / /a rw - overlay o rw,upperdir=/b/u\n"
      "27 1 0:44 / /b rw - overlay o rw,upperdir=/a/u");
  EXPECT_TRUE(resolve(mounts[0], mounts, {sysfs_.path()}).devices.empty());
  why_not_a_disk(mounts[0], mounts);
}

struct ServerCase {
  const char *source, *options, *server;
};

TEST_F(ResolveTest, NamesTheServerOfANetworkFileSystem) {
  for (const auto& [source, options, server] :
       std::vector<ServerCase>{{"fs-1.efs.eu-west-1.amazonaws.com:/", "rw", "fs-1"},
                               {"[fe80::1]:/export", "rw", "[fe80::1]"},
                               {"127.0.0.1:/", "rw,port=20407,addr=127.0.0.1", "127.0.0.1:20407"},
                               {"127.0.0.1:/", "rw", "127.0.0.1"},
                               {"nas:/x", "rw,port=2050", "nas"},
                               {"//filer/share", "rw", "filer"},
                               {"//filer", "rw", "filer"},
                               {"nonsense", "rw", ""},
                               {":/", "rw", ""}}) {
    const auto found =
        identity(std::string("26 1 0:50 / /n rw - nfs4 ") + source + " " + options, "/n");
    EXPECT_EQ(found.backend, server) << source;
    EXPECT_EQ(found.device, "");
    EXPECT_TRUE(leaf_numbers(found).empty());
  }
}

TEST_F(ResolveTest, KnowsTheVolumeUnderAPartitionAndItsWholeSize) {
  sysfs_.write("sda", "size", "4096\n");
  sysfs_.write("sda", "device/vendor", "ATA     \n");
  sysfs_.write("sda", "device/wwid", "naa.5002538e40b1c2d3\n");
  const auto found = identity("26 1 8:1 / / rw - ext4 /dev/sda1 rw", "/");
  EXPECT_EQ(found.volume_id, "naa.5002538e40b1c2d3");
  EXPECT_EQ(found.backend, found.volume_id);
  EXPECT_EQ(found.provider, "local");
  EXPECT_EQ(found.size, Bytes{2 * kMiB.value});
  EXPECT_EQ(found.devices[1].volume_id, found.volume_id);
}

TEST_F(ResolveTest, GivesEachLeafOfAStackItsIdAndTheStackNone) {
  for (const char* disk : {"nvme1n1", "nvme2n1"}) {
    sysfs_.write(disk, "device/model", "Amazon Elastic Block Store              \n");
    sysfs_.write(disk, "device/serial", std::string("vol0") + disk[4] + "\n");
  }
  const auto found = identity("26 1 253:0 / /data rw - xfs /dev/mapper/vg-data rw", "/data");
  EXPECT_EQ(found.devices[1].volume_id, "vol-01");
  EXPECT_EQ(found.devices[2].volume_id, "vol-02");
  EXPECT_EQ(found.volume_id, "");
  EXPECT_EQ(found.backend, "");
  EXPECT_EQ(found.provider, "aws");
  EXPECT_EQ(found.size, kMiB);
}

TEST_F(ResolveTest, TakesSeveralPathsToOneVolumeForThatVolume) {
  for (const char* disk : {"nvme1n1", "nvme2n1"}) {
    sysfs_.write(disk, "size", "8192\n");
    sysfs_.write(disk, "device/model", "Amazon Elastic Block Store\n");
    sysfs_.write(disk, "device/serial", "vol0abc\n");
  }
  const auto found = identity("26 1 253:0 / /data rw - xfs /dev/mapper/mpatha rw", "/data");
  EXPECT_EQ(found.volume_id, "vol-0abc");
  EXPECT_EQ(found.size, Bytes{4 * kMiB.value});
}

// longhorn/longhorn#13440: after a boot the same names are other volumes.
TEST_F(ResolveTest, FollowsTheIdWhenNodeNamesMove) {
  constexpr std::string_view kFirst = "26 1 259:2 / /data rw - xfs /dev/nvme1n1 rw";
  constexpr std::string_view kSecond = "26 1 259:3 / /data rw - xfs /dev/nvme2n1 rw";
  const auto boot = [this](const char* first, const char* second) {
    for (const char* disk : {"nvme1n1", "nvme2n1"})
      sysfs_.write(disk, "device/model", "Amazon Elastic Block Store\n");
    sysfs_.write("nvme1n1", "device/serial", first);
    sysfs_.write("nvme2n1", "device/serial", second);
  };
  boot("vol0a\n", "vol0b\n");
  const auto before = identity(kFirst, "/data");
  boot("vol0b\n", "vol0a\n");
  const auto after = identity(kSecond, "/data");
  EXPECT_EQ(before.volume_id, "vol-0a");
  EXPECT_EQ(after.volume_id, "vol-0a");
  EXPECT_NE(before.device, after.device);
}

// prometheus/node_exporter#2041.
TEST_F(ResolveTest, TakesAXenDiskWithADigitForAWholeDisk) {
  sysfs_.add_disk("xvda1", "202:1");
  sysfs_.write("xvda1", "device/devtype", "vbd\n");
  sysfs_.write_at("hypervisor/uuid", "ec2e1916-9099-7caf-fd21-012345abcdef\n");
  const auto found = identity("26 1 202:1 / / rw - ext4 /dev/xvda1 rw", "/");
  EXPECT_EQ(found.devices, (std::vector<Device>{{"xvda1", "202:1", "", true, kMiB}}));
  EXPECT_EQ(found.volume_id, "");
  EXPECT_EQ(found.provider, "aws");
}

TEST_F(ResolveTest, LeavesUnknownWhatIsUnknown) {
  for (const char* line :
       {"26 1 0:50 / /z rw - zfs tank/fs rw", "26 1 8:99 / /z rw - ext4 /dev/gone rw",
        "26 1 0:51 / /z rw - fuse.mergerfs a:b rw", "26 1 0:51 / /z rw - tmpfs t rw"}) {
    const auto found = identity(line, "/z");
    EXPECT_EQ(found.mountpoint, "/z") << line;
    EXPECT_TRUE(found.devices.empty()) << line;
    EXPECT_EQ(found.device, "") << line;
  }
}

TEST_F(ResolveTest, ResolvesABlockDeviceByItsNumber) {
  const auto found = resolve_device("8:1", "/dev/disk/by-id/x-part1", sysfs_.path());
  EXPECT_EQ(found.source, "/dev/disk/by-id/x-part1");
  EXPECT_EQ(found.device, "sda1");
  EXPECT_EQ(leaf_numbers(found), Numbers{"8:0"});
}

TEST(FileSystemTypes, AreTold) {
  for (const char* type : {"nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "fuse.glusterfs"})
    EXPECT_TRUE(is_network(type)) << type;
  for (const char* type : {"tmpfs", "ramfs", "devtmpfs", "squashfs", "proc", "sysfs", "cgroup2"})
    EXPECT_TRUE(not_a_disk(type)) << type;
  for (const char* type : {"ext4", "xfs", "btrfs", "zfs", "f2fs", "overlay", "fuseblk", ""})
    EXPECT_FALSE(is_network(type) || not_a_disk(type)) << type;
}

TEST(Shared, IsWhatTheOperatorSaysElseWhatTheTypeTells) {
  Target target;
  for (const char* type :
       {"nfs", "nfs4", "smb3", "cifs", "lustre", "ceph", "glusterfs", "fuse.glusterfs", "ocfs2"})
    EXPECT_TRUE(is_shared(target, type)) << type;
  for (const char* type : {"ext4", "xfs", "zfs", "fuse.sshfs", "9p", ""})
    EXPECT_FALSE(is_shared(target, type)) << type;
  target.shared = Shared::no;
  EXPECT_FALSE(is_shared(target, "nfs4"));
  target.shared = Shared::yes;
  EXPECT_TRUE(is_shared(target, "ext4"));
}

}  // namespace
}  // namespace storage_probe::targets
