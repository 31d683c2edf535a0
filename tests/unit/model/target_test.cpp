// SPDX-License-Identifier: Apache-2.0
#include "model/target.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace storage_probe {
namespace {

TEST(TargetState, IsReadBackFromItsText) {
  std::set<std::string_view> words;
  for (const TargetState state : kTargetStates) {
    EXPECT_EQ(parse_target_state(to_text(state)), state);
    words.insert(to_text(state));
  }
  EXPECT_EQ(words.size(), kTargetStates.size());
  EXPECT_EQ(kTargetStates.back(), TargetState::stuck);
  EXPECT_EQ(kTargetStates.size(), static_cast<std::size_t>(TargetState::stuck) + 1);
}

TEST(TargetState, RefusesOtherWords) {
  EXPECT_FALSE(parse_target_state(""));
  EXPECT_FALSE(parse_target_state("Ready"));
  EXPECT_FALSE(parse_target_state("ready "));
}

TEST(Expectation, IsEmptyWhenItComparesNothing) {
  EXPECT_TRUE(Expectation{}.empty());
  EXPECT_FALSE((Expectation{.fs_type = "ext4", .source = {}, .volume_id = {}}).empty());
}

MountIdentity on(const std::string& source, const std::string& device) {
  MountIdentity identity;
  identity.source = source;
  identity.device = device;
  return identity;
}

TEST(VolumeKey, IsTheIdWhereThereIsOne) {
  MountIdentity identity = on("/dev/nvme1n1", "nvme1n1");
  EXPECT_EQ(volume_key(identity), "nvme1n1");
  identity.volume_id = "vol-1";
  EXPECT_EQ(volume_key(identity), "vol-1");
  EXPECT_EQ(volume_key(on("fs-1:/", "")), "fs-1:/");
  EXPECT_EQ(volume_key({}), "");
}

TEST(VolumeKey, OfAStackIsAllOfItsLeaves) {
  MountIdentity stripe = on("/dev/mapper/vg-data", "dm-0");
  EXPECT_EQ(volume_key(stripe), "/dev/mapper/vg-data");
  stripe.devices = {{"dm-0", "254:0", "", false},
                    {"nvme2n1", "259:2", "vol-b", true},
                    {"nvme1n1", "259:1", "vol-a", true}};
  EXPECT_EQ(volume_key(stripe), "vol-a,vol-b");
  stripe.devices[1].volume_id.clear();
  EXPECT_EQ(volume_key(stripe), "/dev/mapper/vg-data") << "half of the ids tell nothing apart";
}

TEST(SameVolume, IsToldByIdsAndNotByNamesThatMove) {
  MountIdentity before = on("/dev/mapper/vg-data", "dm-0");
  EXPECT_TRUE(same_volume(before, on("/dev/mapper/vg-data", "dm-1")));
  before = on("/dev/nvme1n1", "nvme1n1");
  MountIdentity after = before;
  after.volume_id = "vol-1";
  EXPECT_TRUE(same_volume(before, after)) << "an id that becomes visible is no change";
  before.volume_id = "vol-2";
  EXPECT_FALSE(same_volume(before, after));
  after = on("/dev/nvme7n1", "nvme7n1");
  after.volume_id = "vol-2";
  EXPECT_TRUE(same_volume(before, after));
}

}  // namespace
}  // namespace storage_probe
