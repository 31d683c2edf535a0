// SPDX-License-Identifier: Apache-2.0
#include "model/volume_type.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

Bytes gib(std::uint64_t count) { return Bytes{count * kGiB.value}; }

TEST(Line, GrowsWithTheVolumeWithinItsBounds) {
  const Line line{0, 3, 100, 16000, {}, 0};
  EXPECT_EQ(line.at(gib(10)), 100);
  EXPECT_EQ(line.at(gib(100)), 300);
  EXPECT_EQ(line.at(gib(16384)), 16000);
}

TEST(Line, HasItsOwnMostForSmallVolumes) {
  Line line;
  line.base = 250;
  line.small = gib(170);
  line.most_small = 128;
  EXPECT_EQ(line.at(gib(170)), 128);
  EXPECT_EQ(line.at(gib(171)), 250);
}

TEST(Line, NeedsTheSizeOnlyWhereItDependsOnIt) {
  EXPECT_EQ((Line{0, 3, 0, {}, {}, 0}.at(std::nullopt)), std::nullopt);
  EXPECT_EQ((Line{0, 0, 0, {}, gib(1), 5}.at(std::nullopt)), std::nullopt);
  EXPECT_EQ((Line{3000, 0, 0, {}, {}, 0}.at(std::nullopt)), 3000);
}

TEST(FindType, KnowsIdsOnly) {
  Catalogue catalogue(2);
  catalogue[1].id = "aws.gp3";
  EXPECT_EQ(find_type(catalogue, "aws.gp3"), &catalogue[1]);
  EXPECT_EQ(find_type(catalogue, "aws.gp"), nullptr);
}

}  // namespace
}  // namespace storage_probe
