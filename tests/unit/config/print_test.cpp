// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

// Everything but the digest, which is the text's own.
void expect_same(const Config& a, const Config& b, const std::string& what) {
  EXPECT_EQ(a.targets, b.targets) << what;
  EXPECT_EQ(a.auto_rules, b.auto_rules) << what;
  EXPECT_EQ(a.max_concurrent_capacity, b.max_concurrent_capacity) << what;
  EXPECT_EQ(a.histograms, b.histograms) << what;
  EXPECT_EQ(a.instance, b.instance) << what;
  EXPECT_EQ(a.windows, b.windows) << what;
}

void expect_round_trip(const Config& config, const std::string& what) {
  const std::string text = print(config);
  const Loaded again = parse(text, "printed.yml");
  EXPECT_EQ(again.errors, Lines{}) << what << "\n" << text;
  expect_same(again.config, config, what + "\n" + text);
}

TEST(Print, LoadsAgainToTheSame) {
  for (const auto& file : yaml_files(kData / "good"))
    expect_round_trip(load(file).config, file.string());
  expect_round_trip(load(std::filesystem::path(PROJECT_ROOT) / "config/storage_probe.yml").config,
                    "example");
}

TEST(Print, ShowsRules) {
  expect_round_trip(
      parse("auto:\n  - {match: {mountpoint: \"/d*\", fstype: xfs, volume_type: aws.gp3}, name: "
            "\"a-{device}\", writes: true, file: {size: 128MiB}}\n"
            "  - {match: {provider: aws}, name: \"{mountpoint}\"}\n",
            "c.yml")
          .config,
      "rules");
}

TEST(Print, LoadsAgainFromPresetsOfEveryName) {
  for (const std::string_view name : preset_names())
    expect_round_trip(parse("metrics: {histograms: none}\n"
                            "windows: {capacity: [\"01:00-05:00\"], quiet: [\"22:00-00:30\", "
                            "\"12:00-13:00\"]}\n" +
                                target_with("writes: true\nprobes: [{use: " + std::string(name) +
                                            ", name: \"true\", every: 1h1m1s}]"),
                            "c.yml")
                          .config,
                      std::string(name));
}

TEST(Print, NamesTheOtherFiles) {
  Config config;
  config.catalogue_file = "/etc/types.yml";
  config.promise_files = {"/etc/a.json", "b.json"};
  const std::string text = print(config);
  EXPECT_NE(text.find("\ncatalogue: \"/etc/types.yml\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\npromises: {files: [\"/etc/a.json\", \"b.json\"]}\n"), std::string::npos)
      << text;
}

TEST(Print, WritesSharesExactly) {
  for (const char* const share : {"0.07%", "7%", "100%", "0.001%", "33.333333333333%", "0.29%"})
    expect_round_trip(
        parse(target_with(std::string("budget: {share: ") + share + "}"), "c.yml").config, share);
  EXPECT_NE(
      print(parse(target_with("budget: {share: 0.29%}"), "c.yml").config).find("share: 0.29%"),
      std::string::npos);
}

TEST(Print, ShowsEveryDefault) {
  const std::string text = print(load(kData / "good/three_lines.yml").config);
  EXPECT_NE(text.find("max_concurrent_capacity: 1\nmetrics: {histograms: latency}\n"),
            std::string::npos);
  EXPECT_NE(text.find("budget: {share: 1%, bytes_per_day: 16GiB, ios_per_day: 4000000, "
                      "duty_cycle: 1%}"),
            std::string::npos);
}

TEST(Print, QuotesWhatAPathMayHold) {
  Config config;
  config.targets.push_back(only_target(target_with("writes: false")));
  config.targets[0].path = "/a \"b\" \\ #: ü";
  expect_round_trip(config, "path");
  EXPECT_NE(print(embedded_default("/x\ny")).find("\"/x\\x0ay\""), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::config
