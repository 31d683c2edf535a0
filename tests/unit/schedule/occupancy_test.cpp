// SPDX-License-Identifier: Apache-2.0
#include "schedule/occupancy.h"

#include <gtest/gtest.h>

namespace storage_probe::schedule {
namespace {

TEST(Occupancy, HoldsATargetAlsoWithoutDevices) {
  Occupancy occupancy;
  occupancy.take("db", "randread", Weight::light, {});
  EXPECT_TRUE(occupancy.holds("db"));
  EXPECT_EQ(occupancy.in_the_way("db", {}), "randread of db");
  EXPECT_FALSE(occupancy.in_the_way("log", {}));
  occupancy.release("db");
  EXPECT_FALSE(occupancy.in_the_way("db", {}));
}

TEST(Occupancy, HoldsEveryLeafOfAStack) {
  Occupancy occupancy;
  occupancy.take("raid", "seqread", Weight::light, {"259:0", "259:1"});
  EXPECT_EQ(occupancy.in_the_way("plain", {"259:1"}), "seqread of raid");
  EXPECT_EQ(occupancy.in_the_way("other-raid", {"259:2", "259:0"}), "seqread of raid");
  EXPECT_FALSE(occupancy.in_the_way("free", {"259:2"}));
}

TEST(Occupancy, HasRoomForSoManyOfEachWeight) {
  Occupancy occupancy;
  occupancy.set_max_heavy(2);
  occupancy.take("a", "randread", Weight::heavy, {});
  EXPECT_TRUE(occupancy.has_room(Weight::heavy, {}));
  occupancy.take("b", "randread", Weight::heavy, {});
  EXPECT_FALSE(occupancy.has_room(Weight::heavy, {}));
  for (unsigned i = 0; i < Occupancy::kMaxLight; ++i) {
    EXPECT_TRUE(occupancy.has_room(Weight::light, {}));
    occupancy.take("l" + std::to_string(i), "latency", Weight::light, {});
  }
  EXPECT_FALSE(occupancy.has_room(Weight::light, {}));
}

TEST(Occupancy, HasRoomInPlaceOfTheStuck) {
  Occupancy occupancy;
  occupancy.take("dead", "randread", Weight::heavy, {"259:0"});
  EXPECT_FALSE(occupancy.has_room(Weight::heavy, {}));
  EXPECT_TRUE(occupancy.has_room(Weight::heavy, {"dead"}));
  EXPECT_TRUE(occupancy.in_the_way("other", {"259:0"}));
}

TEST(Occupancy, ReleasesTargetsThatAreGone) {
  Occupancy occupancy;
  occupancy.take("a", "latency", Weight::light, {});
  occupancy.take("b", "latency", Weight::light, {});
  occupancy.release_if([](const std::string& name) { return name == "a"; });
  EXPECT_FALSE(occupancy.holds("a"));
  EXPECT_TRUE(occupancy.holds("b"));
}

}  // namespace
}  // namespace storage_probe::schedule
