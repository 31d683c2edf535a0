// SPDX-License-Identifier: Apache-2.0
// The published examples of each provider, on the catalogue that is compiled in.
#include "compliance/derive.h"

#include <gtest/gtest.h>

#include "config/catalogue.h"

namespace storage_probe::compliance {
namespace {

constexpr double kMib = 1024 * 1024;

VolumeSpec sized(std::uint64_t gib) {
  VolumeSpec volume;
  volume.size = Bytes{gib * kGiB.value};
  return volume;
}

Derived derived(std::string_view id, const VolumeSpec& volume) {
  const VolumeType* const type = find_type(config::built_in_catalogue(), id);
  EXPECT_NE(type, nullptr) << id;
  return type == nullptr ? Derived{} : derive(*type, volume);
}

VolumeSpec bought(double iops) {
  VolumeSpec volume;
  volume.promise.iops = iops;
  return volume;
}

TEST(Derive, Gp2HasThreeIopsForEachGib) {
  EXPECT_EQ(derived("aws.gp2", sized(33)).base.iops, 100);
  EXPECT_EQ(derived("aws.gp2", sized(100)).base.iops, 300);
  EXPECT_EQ(derived("aws.gp2", sized(100)).base.from, "derived");
  EXPECT_EQ(derived("aws.gp2", sized(5334)).base.iops, 16000);
}

TEST(Derive, Gp2BurstsUntilItsBaseIsAsHigh) {
  EXPECT_EQ(derived("aws.gp2", sized(100)).burst.iops, 3000);
  EXPECT_EQ(derived("aws.gp2", sized(999)).burst.iops, 3000);
  EXPECT_FALSE(derived("aws.gp2", sized(1000)).burst.known());
}

TEST(Derive, Gp2HasMoreThroughputAbove170GibAndAsMuchAsItsIopsCarry) {
  const Derived small = derived("aws.gp2", sized(100));
  EXPECT_EQ(small.base.throughput, 75 * kMib);
  EXPECT_EQ(small.burst.throughput, 128 * kMib);
  EXPECT_EQ(derived("aws.gp2", sized(171)).burst.throughput, 250 * kMib);
  const Derived large = derived("aws.gp2", sized(334));
  EXPECT_EQ(large.base.throughput, 250 * kMib);
  EXPECT_EQ(large.burst.throughput, std::nullopt);
}

TEST(Derive, Gp3IsNeitherInItsSizeNorInItsType) {
  const Derived gp3 = derived("aws.gp3", sized(500));
  EXPECT_FALSE(gp3.base.known());
  EXPECT_NE(gp3.missing.find("set volume.iops"), std::string::npos);
}

TEST(Derive, ThroughputOfProvisionedTypesFollowsFromTheirIops) {
  EXPECT_EQ(derived("aws.io1", bought(1000)).base.throughput, 250 * kMib);
  EXPECT_EQ(derived("aws.io1", bought(32000)).base.throughput, 500 * kMib);
  EXPECT_EQ(derived("aws.io1", bought(48000)).base.throughput, 750 * kMib);
  EXPECT_EQ(derived("aws.io1", bought(64000)).base.throughput, 1000 * kMib);
  EXPECT_EQ(derived("aws.io2", bought(16000)).base.throughput, 4000 * kMib);
  EXPECT_EQ(derived("gcp.hyperdisk-extreme", bought(1000)).base.throughput, 250 * kMib);
  VolumeSpec ml;
  ml.promise.throughput = 100 * kMib;
  EXPECT_EQ(derived("gcp.hyperdisk-ml", ml).base.iops, 1600);
}

TEST(Derive, RotatingEbsVolumesHaveThroughputOnly) {
  const Derived st1 = derived("aws.st1", sized(1024));
  EXPECT_EQ(st1.base.throughput, 40 * kMib);
  EXPECT_EQ(st1.burst.throughput, 250 * kMib);
  EXPECT_FALSE(st1.base.iops || st1.burst.iops);
  EXPECT_EQ(derived("aws.st1", sized(16384)).base.throughput, 500 * kMib);
  const Derived sc1 = derived("aws.sc1", sized(1024));
  EXPECT_EQ(sc1.base.throughput, 12 * kMib);
  EXPECT_EQ(sc1.burst.throughput, 80 * kMib);
  EXPECT_EQ(derived("aws.sc1", sized(16384)).base.throughput, 192 * kMib);
}

// 2.85 MiB/s were seen in runs-on/terraform-aws-runs-on#37.
TEST(Derive, EfsHas50KibForEachGibStored) {
  const Derived efs = derived("aws.efs.bursting", sized(58));
  EXPECT_NEAR(efs.base.throughput.value_or(0) / kMib, 2.83, 0.01);
  EXPECT_EQ(efs.burst.throughput, 100 * kMib);
  EXPECT_EQ(derived("aws.efs.bursting", sized(1)).base.throughput, kMib);
}

TEST(Derive, OciFollowsItsTable) {
  const auto balanced = [](std::uint64_t gib) { return derived("oci.balanced", sized(gib)).base; };
  EXPECT_EQ(balanced(50).iops, 3000);
  EXPECT_EQ(balanced(50).throughput, 24e6);
  EXPECT_EQ(balanced(500).iops, 25000);
  EXPECT_EQ(balanced(500).throughput, 240e6);
  EXPECT_EQ(balanced(1024).throughput, 480e6);
  VolumeSpec volume = sized(2048);
  volume.vpu = 20;
  EXPECT_EQ(derived("oci.block", volume).base.iops, 50000);
  EXPECT_EQ(derived("oci.block", volume).base.throughput, 680e6);
  volume.vpu = 120;
  EXPECT_EQ(derived("oci.block", volume).base.iops, 300000);
  EXPECT_EQ(derived("oci.block", volume).base.throughput, 2680e6);
  EXPECT_TRUE(derived("oci.block", volume).is_confirmed);
}

TEST(Derive, OciLevelsBetweenThoseOfTheTableAreNotConfirmed) {
  VolumeSpec volume = sized(100);
  volume.vpu = 60;
  EXPECT_EQ(derived("oci.block", volume).base.iops, 13500);
  EXPECT_FALSE(derived("oci.block", volume).is_confirmed);
  volume.vpu = 7;
  EXPECT_NE(derived("oci.block", volume).missing.find("no level of 7"), std::string::npos);
  EXPECT_NE(derived("oci.block", sized(100)).missing.find("set volume.vpu"), std::string::npos);
}

TEST(Derive, AzureRoundsUpToTheNextTier) {
  const Derived p10 = derived("azure.premium", sized(100));
  EXPECT_EQ(p10.base.iops, 500);
  EXPECT_EQ(p10.base.throughput, 100e6);
  EXPECT_EQ(p10.burst.iops, 3500);
  EXPECT_EQ(derived("azure.premium", sized(4)).base.iops, 120);
  EXPECT_EQ(derived("azure.premium", sized(512)).base.iops, 2300);
  EXPECT_EQ(derived("azure.premium", sized(32767)).base.throughput, 900e6);
  EXPECT_FALSE(derived("azure.premium", sized(1024)).burst.known());
  EXPECT_EQ(derived("azure.premium.on-demand", sized(1024)).burst.iops, 30000);
  EXPECT_NE(derived("azure.premium", sized(40000)).missing.find("no tier"), std::string::npos);
}

TEST(Derive, GooglePersistentDisksGrowFromABase) {
  EXPECT_EQ(derived("gcp.pd-ssd", sized(100)).base.iops, 9000);
  EXPECT_EQ(derived("gcp.pd-balanced", sized(100)).base.iops, 3600);
  EXPECT_NEAR(derived("gcp.pd-balanced", sized(100)).base.throughput.value_or(0) / kMib, 168, 1e-6);
  const Derived standard = derived("gcp.pd-standard", sized(1000));
  EXPECT_EQ(standard.base.read_iops, 750);
  EXPECT_EQ(standard.base.write_iops, 1500);
  EXPECT_EQ(standard.base.iops, std::nullopt);
}

TEST(Derive, SaysWhatIsMissing) {
  for (const char* const id : {"aws.gp2", "aws.st1", "azure.premium", "gcp.pd-ssd", "oci.balanced"})
    EXPECT_EQ(derived(id, {}).missing, "its size is not known: set volume.size") << id;
  EXPECT_EQ(derived("aws.gp2", sized(100)).missing, "");
}

TEST(Completed, NeverMixesFiguresOfOneKind) {
  Promise said;
  said.read_iops = 5;
  said.from = "config";
  Promise other;
  other.iops = 9;
  other.throughput = 7;
  other.from = "file";
  const Promise whole = completed(said, other);
  EXPECT_EQ(whole.iops, std::nullopt);
  EXPECT_EQ(whole.throughput, 7);
  EXPECT_EQ(whole.from, "config");
  EXPECT_EQ(completed({}, other), other);
}

}  // namespace
}  // namespace storage_probe::compliance
