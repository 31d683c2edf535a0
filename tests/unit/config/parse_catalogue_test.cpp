// SPDX-License-Identifier: Apache-2.0
#include "config/parse_catalogue.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "config/catalogue_text.h"
#include "support/temp_dir.h"
#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

const VolumeType& type(std::string_view id) {
  static const VolumeType kNone;
  const VolumeType* const found = find_type(built_in_catalogue(), id);
  return found == nullptr ? kNone : *found;
}

// A configuration with `rows` as its catalogue.
Loaded with_catalogue(const std::string& rows) {
  const test::TempDir dir;
  test::write_file(dir / "types.yml", rows);
  return parse("catalogue: types.yml\n", (dir / "c.yml").string());
}

Lines reasons(const std::string& rows) {
  Lines all;
  for (const std::string& error : with_catalogue(rows).errors)
    all.push_back(error.substr(error.find("types.yml")));
  return all;
}

TEST(BuiltInCatalogue, IsTheFileOfTheSources) {
  const auto text =
      read_file(std::filesystem::path(PROJECT_ROOT) / "config/volume-types.yml", kMaxFileBytes);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, catalogue_text());
}

TEST(BuiltInCatalogue, HasARowForEveryKindOfVolume) {
  for (const char* const id : {"aws.gp2",
                               "aws.gp3",
                               "aws.io1",
                               "aws.io2",
                               "aws.st1",
                               "aws.sc1",
                               "aws.standard",
                               "aws.efs.bursting",
                               "aws.efs.elastic",
                               "aws.efs.one-zone",
                               "aws.fsx.ontap",
                               "oci.block",
                               "azure.premium",
                               "azure.premium-v2",
                               "azure.ultra",
                               "azure.standard-ssd",
                               "gcp.pd-ssd",
                               "gcp.hyperdisk-balanced",
                               "digitalocean.volume",
                               "ibm.sdp",
                               "scaleway.block-5k",
                               "custom"})
    EXPECT_EQ(type(id).id, id);
}

TEST(BuiltInCatalogue, SaysOfEveryRowWhereItIsFrom) {
  for (const VolumeType& row : built_in_catalogue()) {
    EXPECT_FALSE(row.source.empty() || row.as_of.empty()) << row.id;
    EXPECT_TRUE(row.id == "custom" || row.source.starts_with("https://")) << row.id;
    for (const Price& price : row.prices)
      EXPECT_FALSE(price.source.empty() || price.as_of.empty() || price.region.empty()) << row.id;
  }
}

TEST(BuiltInCatalogue, MarksWhatIsNotConfirmed) {
  for (const char* const id :
       {"oci.lower-cost", "azure.standard-ssd", "azure.standard-hdd", "digitalocean.volume"})
    EXPECT_FALSE(type(id).confirmed) << id;
  for (const char* const id : {"aws.gp2", "aws.gp3", "azure.premium", "oci.balanced"})
    EXPECT_TRUE(type(id).confirmed && type(id).is_promised) << id;
}

TEST(ParseCatalogue, ReadsEveryKeyOfARow) {
  const VolumeType& gp2 = type("aws.gp2");
  EXPECT_EQ(gp2.provider, "aws");
  EXPECT_EQ(gp2.as_of, "2023-06");
  EXPECT_EQ(gp2.io_cap, Bytes{256 * kKiB.value});
  EXPECT_EQ(gp2.objective, 0.99);
  EXPECT_EQ(gp2.largest_size, Bytes{16384 * kGiB.value});
  LinearModel expected;
  expected.base.iops = Line{0, 3, 100, 16000, {}, 0};
  const double mib = 1024 * 1024;
  expected.burst.iops = Line{3000, 0, 0, {}, {}, 0};
  expected.burst.throughput = Line{250 * mib, 0, 0, {}, Bytes{170 * kGiB.value}, 128 * mib};
  expected.throughput_of_iops = {{Bytes{256 * kKiB.value}, 250 * mib}};
  EXPECT_EQ(gp2.model, Model(expected));
  BucketRule bucket;
  bucket.credits = 5.4e6;
  EXPECT_EQ(gp2.buckets, std::vector{bucket});
}

TEST(ParseCatalogue, ReadsTiersLevelsAndPrices) {
  const auto& tiers = std::get<TierModel>(type("azure.premium").model).tiers;
  ASSERT_EQ(tiers.size(), 14U);
  EXPECT_EQ(tiers[5].name, "P10");
  EXPECT_EQ(tiers[5].base.iops, 500);
  EXPECT_EQ(tiers[5].burst.throughput, 170e6);
  const auto& levels = std::get<VpuModel>(type("oci.block").model).levels;
  ASSERT_EQ(levels.size(), 13U);
  EXPECT_EQ(levels[1].iops.most, 25000);
  EXPECT_FALSE(levels[3].confirmed);
  const auto& prices = type("aws.efs.elastic").prices;
  ASSERT_EQ(prices.size(), 2U);
  EXPECT_EQ(prices[1].of, Price::Of::written_bytes);
  EXPECT_EQ(prices[1].per, 1e9);
}

TEST(ParseCatalogue, ReadsAnotherFileInPlaceOfTheBuiltInOne) {
  const Loaded loaded =
      with_catalogue("- {id: my.disk, source: us, as_of: 2026, model: linear, base: {iops: 5}}\n");
  EXPECT_EQ(loaded.errors, Lines{});
  ASSERT_EQ(loaded.config.catalogue.size(), 1U);
  EXPECT_EQ(loaded.config.catalogue[0].id, "my.disk");
  EXPECT_EQ(loaded.config.catalogue[0].provider, "my");
}

TEST(ParseCatalogue, SaysWhereAFileIsWrong) {
  EXPECT_EQ(reasons("- {id: a, source: s, as_of: d, model: linaer}\n"),
            Lines{"types.yml:1:39: [0].model: \"linaer\" is unknown, did you mean \"linear\"?"});
  EXPECT_EQ(reasons("- {id: a, source: s, as_of: d, model: custom, bsae: {}}\n").size(), 1U);
  EXPECT_EQ(reasons("- {id: a, model: custom}\n"),
            (Lines{"types.yml:1:3: [0]: has no source: add it",
                   "types.yml:1:3: [0]: has no as_of: add it"}));
  const std::string row = "- {id: a, source: s, as_of: d, model: custom}\n";
  EXPECT_EQ(reasons(row + row),
            Lines{"types.yml:2:3: [1]: a row with the id \"a\" is above: keep one of them"});
  EXPECT_EQ(reasons("- a\n").size(), 1U);
  EXPECT_EQ(reasons("a: 1\n").size(), 1U);
  EXPECT_EQ(reasons("- &x a\n").size(), 1U);
}

TEST(ParseCatalogue, WantsOfAPriceWhatItIsWorthNothingWithout) {
  const std::string row = "- {id: a, source: s, as_of: d, model: custom, prices: [{";
  const std::string price = "region: r, source: s, as_of: d, per: 1GB, dollars: 1, of: ";
  EXPECT_EQ(reasons(row + price + "read_bytes}]}\n"), Lines{});
  EXPECT_EQ(reasons(row + price + "ios}]}\n").size(), 1U);  // I/Os have no unit
  const Lines missing = reasons(row + "of: ios, dollars: 1, per: 1M}]}\n");
  EXPECT_EQ(missing.size(), 3U);
}

TEST(ParseCatalogue, SaysWhichFileCannotBeRead) {
  const Lines errors = errors_of("catalogue: nowhere.yml\n");
  EXPECT_EQ(errors, Lines{"c.yml:1:12: catalogue: nowhere.yml: open: No such file or directory"});
}

TEST(NearestType, GuessesWhatWasMeant) {
  EXPECT_EQ(nearest_type(built_in_catalogue(), "aws.gp33"), ", did you mean \"aws.gp3\"?");
  EXPECT_EQ(nearest_type(built_in_catalogue(), "acme.fast-disk"), "");
}

}  // namespace
}  // namespace storage_probe::config
