// SPDX-License-Identifier: Apache-2.0
#include "compliance/cost.h"

#include <gtest/gtest.h>

#include "compliance/terms.h"
#include "config/catalogue.h"

namespace storage_probe::compliance {
namespace {

// A day of `ios` of one preset on a volume of this type.
struct Case {
  std::string type;
  std::uint64_t gib = 0;
  std::string probe = "randread";
  std::uint64_t ios = 0;
};

TypeCost cost(const Case& c) {
  Target target;
  target.volume.type = c.type;
  target.volume.size = Bytes{c.gib * kGiB.value};
  target.probes = {{*find_preset(c.probe), std::chrono::hours(1)}};
  TargetCost plan;
  plan.probes.resize(1);
  const ProbeSpec& spec = target.probes[0].spec;
  plan.probes[0].day = {{}, Bytes{c.ios * spec.block_size.value}, Ops{c.ios}};
  plan.layout.bytes = kGiB;
  const Catalogue& catalogue = config::built_in_catalogue();
  const VolumeType* const type = find_type(catalogue, c.type);
  if (type == nullptr) return {};
  return type_cost_of(plan, target, terms_of(target.volume, {}, catalogue, {}, {}), *type);
}

TEST(TypeCost, CountsIoCreditsAndWhatIsEarned) {
  const TypeCost got = cost({"aws.gp2", 100, "randread", 2'592'000});
  ASSERT_EQ(got.credits.size(), 1U);
  EXPECT_EQ(got.credits[0].day, 2'592'000);
  EXPECT_DOUBLE_EQ(got.credits[0].earned_share, 0.1);  // of 300 a second
  EXPECT_EQ(got.bill, std::nullopt);
  EXPECT_TRUE(got.warnings.empty());
}

TEST(TypeCost, A4KibReadOnSt1Costs256TimesItsBytes) {
  const TypeCost got = cost({"aws.st1", 1024, "randread", 1000});
  ASSERT_EQ(got.credits.size(), 1U);
  EXPECT_EQ(got.credits[0].day, 1000.0 * 1024 * 1024);
  ASSERT_EQ(got.warnings.size(), 1U);
  EXPECT_EQ(got.warnings[0],
            "randread: each 4KiB I/O costs aws.st1 as many credits as 1MiB, 256 times its bytes; "
            "probe it sequentially");
  EXPECT_TRUE(cost({"aws.st1", 1024, "seqread", 1000}).warnings.empty());
}

TEST(TypeCost, WarnsOfRandomIoOnAnyRotatingDisk) {
  EXPECT_EQ(cost({"aws.standard", 100, "randread", 1}).warnings.size(), 1U);
  EXPECT_TRUE(cost({"aws.gp3", 100, "randread", 1}).warnings.empty());
}

TEST(TypeCost, WarnsOfProbesThatUseMuchOfTheCredits) {
  const auto warnings = cost({"aws.gp2", 100, "randread", 12'960'000}).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("50 %"), std::string::npos) << warnings[0];
}

TEST(TypeCost, AzureCountsIosAndBytes) {
  const TypeCost got = cost({"azure.premium", 4, "seqread", 1000});
  ASSERT_EQ(got.credits.size(), 2U);
  EXPECT_EQ(got.credits[0].day, 1000);
  EXPECT_EQ(got.credits[1].day, 1000.0 * 256 * 1024);
}

TEST(TypeCost, EfsMetersAReadAsAThirdButNeverLessThan4Kib) {
  EXPECT_EQ(cost({"aws.efs.bursting", 58, "randread", 300}).credits.at(0).day, 300 * 4096.0);
  EXPECT_NEAR(cost({"aws.efs.bursting", 58, "seqread", 300}).credits.at(0).day, 100 * 256 * 1024.0,
              1);
  EXPECT_EQ(cost({"aws.efs.bursting", 58, "randwrite", 300}).credits.at(0).day, 300 * 4096.0);
}

TEST(TypeCost, ElasticEfsBillsEachByte) {
  const auto read = cost({"aws.efs.elastic", 0, "randread", 1'000'000}).bill;
  ASSERT_TRUE(read);
  EXPECT_NEAR(read->day, 1e6 * 32768 / 1e9 * 0.03, 1e-9);
  EXPECT_NEAR(read->once, 1.0737 * 0.06, 1e-4);
  EXPECT_TRUE(read->confirmed);
  EXPECT_EQ(read->region, "us-east-1");
  EXPECT_NEAR(cost({"aws.efs.elastic", 0, "randwrite", 1'000'000}).bill->day,
              1e6 * 32768 / 1e9 * 0.06, 1e-9);
}

TEST(TypeCost, MagneticVolumesBillEachIo) {
  const auto bill = cost({"aws.standard", 100, "randread", 2'000'000}).bill;
  ASSERT_TRUE(bill);
  EXPECT_DOUBLE_EQ(bill->day, 0.1);
  EXPECT_FALSE(bill->confirmed);
}

TEST(TypeCost, OnDemandBurstsBillWhatIsAboveTheBaseline) {
  // 5,000 of 30,000 are not billed.
  const auto bill = cost({"azure.premium.on-demand", 1024, "randread", 6'000'000}).bill;
  ASSERT_TRUE(bill);
  EXPECT_NEAR(bill->day, 5e6 / 1e4 * 0.005, 1e-9);
  EXPECT_EQ(cost({"azure.premium.on-demand", 1024, "latency", 6'000'000}).bill->day, 0);
}

}  // namespace
}  // namespace storage_probe::compliance
