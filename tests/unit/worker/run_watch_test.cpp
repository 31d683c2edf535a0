// SPDX-License-Identifier: Apache-2.0
#include "worker/run_watch.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::worker {
namespace {

using Witness = RunFacts::Witness;

Measurement hundred_reads() {
  Measurement measured;
  measured.duration = std::chrono::seconds{1};
  measured.operations[Operation::read] = {100, Bytes{100 * 4096}, {}};
  measured.used[Operation::read] = {{}, Bytes{100 * 4096}, Ops{100}};
  return measured;
}

// A disk sda under an ext4, or an NFS mount, whose counters are files.
class RunWatchTest : public testing::Test {
 protected:
  RunWatchTest() {
    disk_.fs_type = "ext4";
    disk_.devices = {{"sda", "8:0", "", true}};
    mount_.fs_type = "nfs4";
    mount_.mountpoint = "/mnt";
    mount_.source = "fs-1:/";
    sysfs_.add_disk("sda", "8:0");
    set_disk(0, 0);
    set_server(0, 0);
    set_ticks(0, 0);
  }
  void set_disk(int reads, int sectors) {
    sysfs_.write("sda", "stat",
                 std::to_string(reads) + " 0 " + std::to_string(sectors) + " 0 0 0 0 0 0 0 0\n");
  }
  void set_server(int calls, int bytes) {
    test::write_file(
        procfs_ / "self/mountstats",
        "device fs-1:/ mounted on /mnt with fstype nfs4 statvers=1.1\n\tbytes: 0 0 0 0 " +
            std::to_string(bytes) + " 0 0 0\n\t READ: " + std::to_string(calls) +
            " 0\n\tWRITE: 0 0\n");
  }
  void set_ticks(int idle, int steal) {
    test::write_file(procfs_ / "stat", "cpu  0 0 0 " + std::to_string(idle) + " 0 0 0 " +
                                           std::to_string(steal) + " 0 0\n");
  }
  targets::DeviceWatch::Roots roots() const { return {procfs_.path(), sysfs_.path()}; }

  test::FakeSysfs sysfs_;
  test::TempDir procfs_;
  MountIdentity disk_, mount_;
  ProbeSpec spec_ = *find_preset("randread");
};

TEST_F(RunWatchTest, BringsWhatTheDeviceCounted) {
  const RunWatch watch(disk_, roots());
  set_disk(120, 120 * 8);
  const auto found = watch.finish(spec_, hundred_reads());
  EXPECT_EQ(found.facts.witness, Witness::device);
  EXPECT_EQ(found.facts.counted.ops, Ops{120});
  EXPECT_EQ(found.facts.counted.bytes, Bytes{120 * 4096});
  EXPECT_EQ(found.facts.ours.ops, Ops{100});
  ASSERT_TRUE(found.device);
  EXPECT_EQ(found.device->name, "sda");
}

TEST_F(RunWatchTest, BringsWhatTheServerWasAskedFor) {
  const RunWatch watch(mount_, roots());
  set_server(100, 409'600);
  const auto found = watch.finish(spec_, hundred_reads());
  EXPECT_EQ(found.facts.witness, Witness::server);
  EXPECT_EQ(found.facts.counted.bytes, Bytes{409'600});
  ASSERT_TRUE(found.device);
  EXPECT_EQ(found.device->name, "fs-1:/");
}

TEST_F(RunWatchTest, KnowsADeviceThatVanished) {
  const RunWatch watch(disk_, roots());
  sysfs_.write("sda", "stat", "");
  const auto found = watch.finish(spec_, hundred_reads());
  EXPECT_EQ(found.facts.witness, Witness::lost);
  EXPECT_FALSE(found.device);
}

TEST_F(RunWatchTest, HasNoWitnessWhereNothingCounts) {
  mount_.fs_type = "zfs";
  const auto found = RunWatch(mount_, roots()).finish(spec_, hundred_reads());
  EXPECT_EQ(found.facts.witness, Witness::none);
  EXPECT_FALSE(found.device);
}

TEST_F(RunWatchTest, BringsTheStolenShare) {
  const RunWatch watch(disk_, roots());
  set_ticks(75, 25);
  EXPECT_DOUBLE_EQ(watch.finish(spec_, hundred_reads()).facts.stolen, 0.25);
}

}  // namespace
}  // namespace storage_probe::worker
