// SPDX-License-Identifier: Apache-2.0
#include "compliance/combine.h"

#include <gtest/gtest.h>

namespace storage_probe::compliance {
namespace {

using Layout = VolumeSpec::Layout;

Terms part(double iops, double throughput) {
  Terms terms;
  terms.type = "aws.gp3";
  terms.volume.iops = iops;
  terms.volume.throughput = throughput;
  terms.volume.from = "config";
  terms.objective = 0.99;
  return terms;
}

TEST(Combined, AStripeOfEqualsIsTheirSum) {
  const Terms whole = combined({part(3000, 125), part(3000, 125)}, Layout::stripe);
  EXPECT_EQ(whole.volume.iops, 6000);
  EXPECT_EQ(whole.volume.throughput, 250);
  EXPECT_EQ(whole.volume.from, "config");
  EXPECT_EQ(whole.type, "aws.gp3");
}

TEST(Combined, AMirrorReadsFromAllAndWritesToAll) {
  const Promise whole = combined({part(3000, 125), part(4000, 250)}, Layout::mirror).volume;
  EXPECT_EQ(whole.read_iops, 7000);
  EXPECT_EQ(whole.write_iops, 3000);
  EXPECT_EQ(whole.read_throughput, 125);
  EXPECT_EQ(whole.write_throughput, 125);
  EXPECT_FALSE(whole.iops || whole.throughput);
}

TEST(Combined, ALinearVolumeIsTheLeastOfItsParts) {
  for (const Layout layout : {Layout::linear, Layout::unset}) {
    const Promise whole = combined({part(3000, 250), part(4000, 125)}, layout).volume;
    EXPECT_EQ(whole.iops, 3000);
    EXPECT_EQ(whole.throughput, 125);
  }
}

TEST(Combined, LacksWhatOneOfThemLacks) {
  Terms unknown = part(1, 125);
  unknown.volume.iops.reset();
  unknown.note = "not known";
  const Terms whole = combined({part(3000, 125), unknown}, Layout::stripe);
  EXPECT_EQ(whole.volume.iops, std::nullopt);
  EXPECT_EQ(whole.volume.throughput, 250);
  EXPECT_EQ(whole.note, "not known");
}

TEST(Combined, AccusesOnlyWhereAllDo) {
  Terms other = part(1, 1);
  other.accuses = false;
  other.type = "aws.standard";
  other.objective.reset();
  other.volume.from = "derived";
  const Terms whole = combined({part(1, 1), other}, Layout::stripe);
  EXPECT_FALSE(whole.accuses);
  EXPECT_EQ(whole.type, "");
  EXPECT_EQ(whole.objective, std::nullopt);
  EXPECT_EQ(whole.volume.from, "derived");
}

TEST(Combined, FollowsCreditsWhereAllHaveThemAlike) {
  Terms bursting = part(300, 75);
  bursting.burst.iops = 3000;
  bursting.buckets = {{Bucket::Unit::ios, 5.4e6, 300, 3000, {}, 1}};
  const Terms stripe = combined({bursting, bursting}, Layout::stripe);
  EXPECT_EQ(stripe.burst.iops, 6000);
  EXPECT_EQ(stripe.buckets, (std::vector<Bucket>{{Bucket::Unit::ios, 10.8e6, 600, 6000, {}, 1}}));
  EXPECT_TRUE(combined({bursting, part(300, 75)}, Layout::stripe).buckets.empty());
  const Terms mirror = combined({bursting, bursting}, Layout::mirror);
  EXPECT_TRUE(mirror.buckets.empty());
  EXPECT_FALSE(mirror.burst.known());
}

TEST(LowerOfPromises, ComparesWhatBothHave) {
  Promise old;
  old.iops = 3000;
  old.throughput = 5;
  Promise now;
  now.iops = 6000;
  now.read_throughput = 9;
  const Promise lower = lower_of(old, now);
  EXPECT_EQ(lower.iops, 3000);
  EXPECT_EQ(lower.throughput, std::nullopt);
  EXPECT_EQ(lower.read_throughput, 9);
}

}  // namespace
}  // namespace storage_probe::compliance
