// SPDX-License-Identifier: Apache-2.0
#include "config/parse_target.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

TEST(ParseTarget, ReadsItsOwnKeys) {
  const Target target =
      only_target(target_with("optional: true\nwrites: true\nengine: threads\nshared: false"));
  EXPECT_EQ(target.name, "db");
  EXPECT_EQ(target.path, "/data");
  EXPECT_TRUE(target.optional);
  EXPECT_TRUE(target.writes);
  EXPECT_EQ(target.engine, Engine::threads);
  EXPECT_EQ(target.shared, Shared::no);
}

TEST(ParseTarget, IoPriorityIsOneOfThree) {
  EXPECT_EQ(only_target(target_with("writes: true")).io_priority, IoPriority::inherited);
  for (const IoPriority priority :
       {IoPriority::inherited, IoPriority::best_effort, IoPriority::idle}) {
    const std::string word(to_text(priority));
    EXPECT_EQ(only_target(target_with("io_priority: " + word)).io_priority, priority) << word;
  }
}

TEST(ParseTarget, APathHasOneSpelling) {
  const std::array<std::pair<const char*, const char*>, 6> cases{{{"/", "/"},
                                                                  {"//", "/"},
                                                                  {"/data/", "/data"},
                                                                  {"//data//x", "/data/x"},
                                                                  {"/data/./x/.", "/data/x"},
                                                                  {"/..data", "/..data"}}};
  for (const auto& [written, meant] : cases)
    EXPECT_EQ(only_target(std::string("targets: [{name: a, path: ") + written + "}]").path, meant);
}

TEST(ParseTarget, DefaultsAreUnderEachKeyOfATarget) {
  const Loaded loaded = load(kData / "good/defaults_merge.yml");
  ASSERT_EQ(loaded.config.targets.size(), 2U);
  const Target& a = loaded.config.targets[0];
  EXPECT_EQ(a.volume.promise.iops, 6000);
  EXPECT_EQ(a.volume.promise.throughput, 125.0 * 1024 * 1024);
  EXPECT_EQ(a.labels, (std::map<std::string, std::string>{{"team", "databases"}, {"tier", "two"}}));
  EXPECT_EQ(a.budget.share, 0.025);
  EXPECT_EQ(a.budget.duty_cycle, 0.00125);
  ASSERT_EQ(a.probes.size(), 1U);
  EXPECT_EQ(a.probes[0].every, std::chrono::minutes(5));
}

TEST(ParseTarget, AListOfDefaultsIsReplacedAsAWhole) {
  const Loaded loaded = load(kData / "good/defaults_merge.yml");
  ASSERT_EQ(loaded.config.targets.size(), 2U);
  ASSERT_EQ(loaded.config.targets[1].probes.size(), 1U);
  EXPECT_EQ(loaded.config.targets[1].probes[0].spec.name, "randread");
}

TEST(ParseTarget, ADeviceTakesNoFileAndNoWritesFromDefaults) {
  const Loaded loaded = load(kData / "good/device.yml");
  ASSERT_EQ(loaded.errors, Lines{});
  const Target& target = loaded.config.targets.at(0);
  EXPECT_EQ(target.device, "/dev/vda");
  EXPECT_FALSE(target.writes);
  EXPECT_EQ(target.file, ProbeFileSpec{});
  EXPECT_TRUE(target.expect.empty());
}

TEST(ParseTarget, RulesAreReadOnTopOfTheDefaults) {
  const Loaded loaded = parse(
      "defaults: {labels: {team: db}}\nauto:\n  - match: {mountpoint: \"/data/*\", fstype: [ext4, "
      "xfs], provider: aws}\n"
      "    name: \"{basename}\"\n    writes: true\n    busy: {max_other_iops: 10%}\n",
      "c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.notes, Lines{});
  ASSERT_EQ(loaded.config.auto_rules.size(), 1U);
  const AutoRule& rule = loaded.config.auto_rules[0];
  EXPECT_EQ(rule.match, (AutoMatch{"/data/*", {"ext4", "xfs"}, "aws", ""}));
  EXPECT_EQ(rule.name, "{basename}");
  EXPECT_TRUE(rule.target.writes);
  EXPECT_EQ(rule.target.labels.at("team"), "db");
  EXPECT_EQ(rule.target.probes.size(), 3U);
}

TEST(ParseTarget, NotesOnceWhatDefaultsSetWithoutEffect) {
  const Loaded loaded = parse(
      "defaults: {objective: {latency: 10ms, ratio: 99%}}\ntargets: [{name: a, path: /a}, {name: "
      "b, "
      "path: /b}]\n",
      "c.yml");
  EXPECT_EQ(loaded.notes,
            Lines{"c.yml:1:23: defaults.objective: accepted, has no effect in this version"});
}

}  // namespace
}  // namespace storage_probe::config
