// SPDX-License-Identifier: Apache-2.0
#include "config/parse_volume.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

TEST(ParseVolume, ReadsThePromise) {
  const Promise promise =
      only_target(target_with("volume: {iops: 3k, throughput: 593.75MB/s}")).volume.promise;
  EXPECT_EQ(promise.iops, 3000);
  EXPECT_EQ(promise.throughput, 593.75e6);
  EXPECT_EQ(promise.from, "config");
}

TEST(ParseVolume, WithoutFiguresThereIsNoPromise) {
  EXPECT_EQ(only_target(target_with("volume: {type: aws.gp3}")).volume.promise, Promise{});
}

TEST(ParseVolume, ReadsWhatIsKnownOfTheVolume) {
  const VolumeSpec volume =
      only_target(
          target_with("volume: {type: aws.gp3, size: 500GiB, vpu: 20, per: client, read_iops: 5,\n"
                      "  write_throughput: 1MB/s, layout: mirror,\n"
                      "  members: [{id: a, iops: 7}, {id: b, throughput: 2MB/s}]}"))
          .volume;
  EXPECT_EQ(volume.type, "aws.gp3");
  EXPECT_EQ(volume.size, Bytes{500 * kGiB.value});
  EXPECT_EQ(volume.vpu, 20U);
  EXPECT_EQ(volume.per, VolumeSpec::Per::client);
  EXPECT_EQ(volume.promise.read_iops, 5);
  EXPECT_EQ(volume.promise.write_throughput, 1e6);
  EXPECT_EQ(volume.layout, VolumeSpec::Layout::mirror);
  EXPECT_EQ(volume.members, (std::vector<VolumeMember>{{"a", 7, {}}, {"b", {}, 2e6}}));
}

TEST(ParseVolume, ReadsWhatIsExpectedAndTheObjective) {
  const Target target =
      only_target(target_with("expect: {fstype: ext4, source: /dev/vda, volume_id: vol-1}\n"
                              "objective: {latency: 10ms, ratio: 99.5%}"));
  EXPECT_EQ(target.expect, (Expectation{"ext4", "/dev/vda", "vol-1"}));
  EXPECT_EQ(target.objective, (Objective{std::chrono::milliseconds(10), 0.995}));
}

TEST(ParseVolume, RoundsRatesToWholeBytes) {
  EXPECT_EQ(
      only_target(target_with("volume: {throughput: 1234.5678kB/s}")).volume.promise.throughput,
      1'234'568);
}

}  // namespace
}  // namespace storage_probe::config
