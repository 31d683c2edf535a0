// SPDX-License-Identifier: Apache-2.0
#include "config/parse_policy.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

TEST(ParsePolicy, ReadsTheProbeFile) {
  const ProbeFileSpec file = only_target(target_with("file: {size: 1GiB, directory: a/./b/}")).file;
  EXPECT_EQ(file.size, kGiB);
  EXPECT_EQ(file.directory, "a/b");
  EXPECT_TRUE(file.directory_is_explicit);
  EXPECT_EQ(file.mode, ProbeFileSpec::Mode::managed);
}

TEST(ParsePolicy, AnExistingFileTakesNoSizeFromDefaults) {
  const Loaded loaded = load(kData / "good/existing_file.yml");
  ASSERT_EQ(loaded.errors, Lines{});
  const ProbeFileSpec& file = loaded.config.targets.at(0).file;
  EXPECT_EQ(file.mode, ProbeFileSpec::Mode::existing);
  EXPECT_EQ(file.path, "big/file");
  EXPECT_EQ(file.size, std::nullopt);
  EXPECT_FALSE(file.directory_is_explicit);
}

TEST(ParsePolicy, ReadsSpaceBusyAndBudget) {
  const Target target = only_target(
      target_with("space: {min_free: 0%, min_free_bytes: 0B}\n"
                  "busy: {max_other_iops: 20%, max_other_throughput: 30%}\n"
                  "budget: {share: 0.5%, bytes_per_day: 1GiB, ios_per_day: 20k, duty_cycle: 2%}"));
  EXPECT_EQ(target.space, (SpaceRule{0, Bytes{0}}));
  EXPECT_EQ(target.busy, (BusyRule{0.2, 0.3}));
  EXPECT_EQ(target.budget, (BudgetRule{0.005, kGiB, Ops{20'000}, 0.02}));
}

TEST(ParsePolicy, ReadsLabelsAsTexts) {
  EXPECT_EQ(only_target(target_with("labels: {team: databases, tier: 1, on_call: true}")).labels,
            (std::map<std::string, std::string>{
                {"team", "databases"}, {"tier", "1"}, {"on_call", "true"}}));
}

TEST(ParsePolicy, BoundsLabelValues) {
  EXPECT_EQ(errors_of(target_with("labels: {team: " + std::string(129, 'x') + "}")),
            Lines{"c.yml:4:20: targets[0].labels.team: longer than 128 bytes: shorten it"});
}

}  // namespace
}  // namespace storage_probe::config
