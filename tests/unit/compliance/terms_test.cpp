// SPDX-License-Identifier: Apache-2.0
#include "compliance/terms.h"

#include <gtest/gtest.h>

#include "config/catalogue.h"

namespace storage_probe::compliance {
namespace {

constexpr double kMib = 1024 * 1024;

VolumeSpec volume(const std::string& type, std::uint64_t gib = 0) {
  VolumeSpec spec;
  spec.type = type;
  if (gib > 0) spec.size = Bytes{gib * kGiB.value};
  return spec;
}

VolumeSpec promised(double iops, double throughput, const std::string& from = "config") {
  VolumeSpec spec;
  spec.promise.iops = iops;
  spec.promise.throughput = throughput;
  spec.promise.from = from;
  return spec;
}

MountIdentity disk(const std::string& id, std::uint64_t gib) {
  MountIdentity identity;
  identity.fs_type = "ext4";
  identity.device = "nvme1n1";
  identity.volume_id = id;
  identity.size = Bytes{gib * kGiB.value};
  identity.devices = {{"nvme1n1", "259:1", id, true, identity.size}};
  return identity;
}

Terms terms(const VolumeSpec& spec, const MountIdentity& identity = {},
            const PromiseBook& book = {}, const Promise& instance = {}) {
  return terms_of(spec, identity, config::built_in_catalogue(), book, instance);
}

double burst_seconds(const Bucket& bucket) {
  return bucket.capacity / (bucket.burst - bucket.baseline);
}

TEST(TermsOf, TheOperatorsFiguresWinOverAnythingElse) {
  const PromiseBook book{{"vol-1", promised(3000, 125e6, "file")}};
  VolumeSpec spec = volume("aws.gp3", 500);
  spec.promise.iops = 20000;
  spec.promise.from = "config";
  const Terms got = terms(spec, disk("vol-1", 500), book);
  EXPECT_EQ(got.volume.iops, 20000);
  EXPECT_EQ(got.volume.throughput, 125e6);
  EXPECT_EQ(got.volume.from, "config");
  EXPECT_EQ(got.as_of, "2025-12");
  EXPECT_TRUE(got.accuses);
}

TEST(TermsOf, AFileSaysWhatTheOperatorDoesNot) {
  PromiseBook book{{"vol-1", promised(3000, 125e6, "file")}};
  book["vol-1"].type = "aws.gp3";
  const Terms got = terms({}, disk("vol-1", 500), book);
  EXPECT_EQ(got.type, "aws.gp3");
  EXPECT_EQ(got.volume, book["vol-1"].promise);
  EXPECT_EQ(got.io_cap, Bytes{256 * kKiB.value});
  EXPECT_EQ(got.objective, 0.99);
  EXPECT_FALSE(terms({}, disk("vol-2", 500), book).volume.known());
}

TEST(TermsOf, TypeAndSizeSufficeForSomeTypes) {
  const Terms got = terms(volume("aws.gp2"), disk("vol-1", 100));
  EXPECT_EQ(got.volume.iops, 300);
  EXPECT_EQ(got.volume.from, "derived");
  EXPECT_EQ(got.burst.iops, 3000);
  EXPECT_TRUE(got.accuses);
}

TEST(TermsOf, AProvisionedTypeAloneIsNoPromise) {
  const Terms got = terms(volume("aws.gp3"), disk("vol-1", 100));
  EXPECT_EQ(got.volume, Promise{});
  EXPECT_NE(got.note.find("aws.gp3: what was bought is not known"), std::string::npos) << got.note;
}

TEST(TermsOf, AnUnknownTypeAccusesNobodyUnlessFiguresAreGiven) {
  const Terms got = terms(volume("acme.fast", 100));
  EXPECT_EQ(got.volume.from, "none");
  EXPECT_FALSE(got.accuses);
  EXPECT_EQ(got.note, "the catalogue has no type acme.fast: set volume.iops and volume.throughput");
  VolumeSpec spec = promised(500, 1e6);
  spec.type = "acme.fast";
  EXPECT_TRUE(terms(spec).accuses);
  EXPECT_EQ(terms(spec).volume.iops, 500);
}

TEST(TermsOf, AnUnconfirmedRowAccusesNobody) {
  for (const char* const id : {"oci.lower-cost", "azure.standard-ssd", "digitalocean.volume",
                               "aws.efs.bursting", "gcp.pd-ssd"}) {
    const Terms got = terms(volume(id, 100));
    EXPECT_TRUE(got.volume.known()) << id;
    EXPECT_FALSE(got.accuses) << id;
  }
}

TEST(TermsOf, WhatIsSaidOfAnUnconfirmedTypeStandsAlone) {
  VolumeSpec spec = volume("digitalocean.volume");
  spec.promise.iops = 6000;
  const Terms got = terms(spec);
  EXPECT_EQ(got.volume.throughput, std::nullopt);
  EXPECT_TRUE(got.accuses);
  EXPECT_TRUE(got.buckets.empty());
}

TEST(TermsOf, OfTwoLimitsTheInstancesMayBeTheLower) {
  Promise instance;
  instance.throughput = 128e6;
  const Terms got = terms(promised(5000, 192e6), {}, {}, instance);
  EXPECT_EQ(got.promise().throughput, 128e6);
  EXPECT_EQ(got.promise().iops, 5000);
  EXPECT_EQ(got.volume.throughput, 192e6);
}

TEST(TermsOf, EfsLimitsEachClient) {
  EXPECT_EQ(terms(volume("aws.efs.bursting", 58)).instance.throughput, 500 * kMib);
}

// awsdocs/amazon-ec2-user-guide#249: what is spent is what is done above the baseline.
TEST(TermsOf, Gp2BurstsAsLongAsPublished) {
  const struct {
    std::uint64_t gib;
    double burst, refill;
  } rows[]{{33, 1862, 54000}, {100, 2000, 18000}, {334, 2703, 5389}, {750, 7200, 2400}};
  for (const auto& row : rows) {
    const auto buckets = terms(volume("aws.gp2", row.gib)).buckets;
    ASSERT_EQ(buckets.size(), 1U) << row.gib;
    EXPECT_NEAR(burst_seconds(buckets[0]), row.burst, 1) << row.gib;
    EXPECT_NEAR(buckets[0].capacity / buckets[0].baseline, row.refill, 1) << row.gib;
  }
  EXPECT_TRUE(terms(volume("aws.gp2", 1000)).buckets.empty());
}

TEST(TermsOf, St1CountsEachIoAsAMebibyte) {
  const auto buckets = terms(volume("aws.st1", 1024)).buckets;
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets[0].unit, Bucket::Unit::bytes);
  EXPECT_EQ(buckets[0].capacity, 1024 * 1024 * kMib);
  EXPECT_EQ(buckets[0].least_charge, kMiB);
}

TEST(TermsOf, AzureHasABucketOfIosAndOneOfBytes) {
  const auto buckets = terms(volume("azure.premium", 4)).buckets;
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(buckets[0].capacity, 3380 * 1800.0);
  EXPECT_EQ(buckets[1].unit, Bucket::Unit::bytes);
  EXPECT_EQ(burst_seconds(buckets[1]), 1800);
}

TEST(TermsOf, AStripeIsAsManyTimesItsSlowestMember) {
  VolumeSpec spec = volume("aws.gp3");
  spec.layout = VolumeSpec::Layout::stripe;
  spec.members = {{"vol-1", 6000, 5e8}, {"vol-2", {}, {}}};
  const PromiseBook book{{"vol-2", promised(3000, 5e8, "file")}};
  const Terms got = terms(spec, {}, book);
  EXPECT_EQ(got.volume.iops, 6000);
  EXPECT_EQ(got.volume.throughput, 1e9);
  EXPECT_EQ(got.volume.from, "file");
}

TEST(TermsOf, MembersWithoutFiguresHaveThoseOfTheirSizes) {
  MountIdentity identity = disk("", 200);
  identity.devices = {{"dm-0", "253:0", "", false, Bytes{200 * kGiB.value}},
                      {"nvme1n1", "259:1", "vol-1", true, Bytes{100 * kGiB.value}},
                      {"nvme2n1", "259:2", "vol-2", true, Bytes{100 * kGiB.value}}};
  VolumeSpec spec = volume("aws.gp2");
  spec.layout = VolumeSpec::Layout::stripe;
  spec.members = {{"vol-1", {}, {}}, {"vol-2", {}, {}}};
  EXPECT_EQ(terms(spec, identity).volume.iops, 600);
  EXPECT_EQ(terms(spec, identity).buckets.at(0).capacity, 10.8e6);
  // Nobody has said how the leaves form the volume.
  EXPECT_EQ(terms(volume("aws.gp2"), identity).volume.iops, 300);
}

TEST(TermsOf, WhatIsSaidOfTheWholeWinsOverItsMembers) {
  VolumeSpec spec = promised(9000, 1e9);
  spec.layout = VolumeSpec::Layout::stripe;
  spec.members = {{"vol-1", 3000, 5e8}, {"vol-2", 3000, 5e8}};
  EXPECT_EQ(terms(spec).volume.iops, 9000);
}

TEST(TermsOf, SeveralPathsToOneVolumeAreThatVolume) {
  MountIdentity identity = disk("vol-1", 200);
  const Bytes size = identity.size;
  identity.devices = {{"dm-0", "253:0", "", false, size},
                      {"sdb", "8:16", "vol-1", true, size},
                      {"sdc", "8:32", "vol-1", true, size}};
  EXPECT_EQ(terms(volume("aws.gp2"), identity), terms(volume("aws.gp2"), disk("vol-1", 200)));
}

TEST(TermsOf, ALimitIsSharedOnNetworkFileSystemsUnlessItIsTheClients) {
  MountIdentity nfs;
  nfs.fs_type = "nfs4";
  nfs.source = "fs-1:/";
  VolumeSpec spec;
  EXPECT_TRUE(terms(spec, nfs).limit_is_shared);
  EXPECT_FALSE(terms(spec, disk("vol-1", 1)).limit_is_shared);
  spec.per = VolumeSpec::Per::client;
  EXPECT_FALSE(terms(spec, nfs).limit_is_shared);
  spec.per = VolumeSpec::Per::filesystem;
  EXPECT_TRUE(terms(spec).limit_is_shared);
}

TEST(LowerOf, KeepsTheLowerFigureWhileAVolumeChanges) {
  const Terms old = terms(volume("aws.gp2", 100));
  const Terms now = terms(volume("aws.gp2", 200));
  const Terms lower = lower_of(old, now);
  EXPECT_EQ(lower.volume, old.volume);
  EXPECT_EQ(lower.buckets.at(0).baseline, 300);
  EXPECT_EQ(lower_of(now, old).volume, old.volume);
}

TEST(LowerOf, TakesWhatIsNewlyKnownAsItIs) {
  const Terms now = terms(promised(3000, 1e8));
  EXPECT_EQ(lower_of({}, now).volume, now.volume);
  EXPECT_FALSE(lower_of(now, {}).volume.known());
}

}  // namespace
}  // namespace storage_probe::compliance
