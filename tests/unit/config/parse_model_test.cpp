// SPDX-License-Identifier: Apache-2.0
#include "config/parse_model.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

struct Read {
  Model model;
  Lines errors;
};

Read read(std::string_view kind, const std::string& row) {
  Problems problems;
  const Place top{problems.add_file("t.yml"), {}, {}};
  const Document document = parse_yaml(row);
  const Value value(document.root, top, problems);
  Model model = parse_model(kind, value.fields());
  return {std::move(model), problems.errors()};
}

TEST(ParseModel, ReadsWhatFollowsFromWhatWasBought) {
  const Read got = read("provisioned",
                        "throughput_of_iops: [{each: 16KiB, most: 1GB/s}]\niops_of_mib: 16\n"
                        "most: {iops: 64000, throughput: 2GB/s}\n");
  EXPECT_EQ(got.errors, Lines{});
  EXPECT_EQ(got.model,
            Model(ProvisionedModel{{{Bytes{16 * kKiB.value}, 1e9}}, 16.0, 64000.0, 2e9}));
}

TEST(ParseModel, ReadsALineAsAMapOrAsOneFigure) {
  const Read got = read("linear",
                        "base: {iops: {base: 1, per_gib: 0.75, least: 2, most: 9}}\n"
                        "burst: {read_throughput: 5kB/s}\n");
  EXPECT_EQ(got.errors, Lines{});
  LinearModel expected;
  expected.base.iops = Line{1, 0.75, 2, 9.0, {}, 0};
  expected.burst.read_throughput = Line{5000, 0, 0, {}, {}, 0};
  EXPECT_EQ(got.model, Model(expected));
}

TEST(ParseModel, RefusesAFigureInTheWrongUnit) {
  EXPECT_EQ(read("linear", "base: {iops: 5kB/s}\n").errors.size(), 1U);
  EXPECT_EQ(read("linear", "base: {throughput: 5}\n").errors.size(), 1U);
  EXPECT_EQ(read("vpu", "levels: [{vpu: ten}]\n").errors.size(), 1U);
}

TEST(ParseModel, WantsTiersSorted) {
  EXPECT_EQ(read("tiers", "tiers: [{size: 8GiB, iops: 2}, {size: 4GiB, iops: 1}]\n").errors,
            Lines{"t.yml:1:32: tiers[1]: is not larger than the tier before it: sort the tiers by "
                  "size"});
}

TEST(ParseModel, KnowsTheKeysOfEachKind) {
  for (const std::string_view kind : model_kinds())
    EXPECT_EQ(keys_of_model(kind).empty(), kind == "custom") << kind;
  EXPECT_TRUE(keys_of_model("cubic").empty());
}

}  // namespace
}  // namespace storage_probe::config
