// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "config/digest.h"
#include "support/temp_dir.h"
#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

const std::filesystem::path kExample =
    std::filesystem::path(PROJECT_ROOT) / "config/storage_probe.yml";

TEST(Load, TheAnnotatedExampleHasNoFlaw) {
  const Loaded loaded = load(kExample);
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.config.targets.size(), 4U);
}

TEST(Load, EveryExampleHasNeitherFlawNorNote) {
  for (const auto& file : yaml_files(std::filesystem::path(PROJECT_ROOT) / "config/examples")) {
    const Loaded loaded = load(file);
    EXPECT_EQ(loaded.errors, Lines{}) << file;
    EXPECT_EQ(loaded.notes, Lines{}) << file;
    EXPECT_EQ(loaded.config.targets.size(), 1U) << file;
  }
}

TEST(Load, TheAnnotatedExampleShowsEveryKey) {
  const std::string example = test::read_whole(kExample);
  for (const char* const key : {"include",
                                "profile",
                                "max_concurrent_capacity",
                                "catalogue",
                                "windows",
                                "capacity",
                                "quiet",
                                "instance",
                                "metrics",
                                "histograms",
                                "promises",
                                "files",
                                "auto",
                                "match",
                                "mountpoint",
                                "provider",
                                "defaults",
                                "probes",
                                "kind",
                                "pattern",
                                "read_percent",
                                "block_size",
                                "queue_depth",
                                "rings",
                                "rate",
                                "fsync_every",
                                "limits",
                                "time",
                                "ios",
                                "bytes",
                                "stop_early",
                                "verify",
                                "targets",
                                "name",
                                "path",
                                "device",
                                "optional",
                                "expect",
                                "fstype",
                                "source",
                                "volume_id",
                                "volume",
                                "type",
                                "iops",
                                "throughput",
                                "size",
                                "vpu",
                                "per",
                                "read_iops",
                                "write_iops",
                                "read_throughput",
                                "write_throughput",
                                "members",
                                "id",
                                "layout",
                                "objective",
                                "latency",
                                "ratio",
                                "use",
                                "every",
                                "file",
                                "directory",
                                "mode",
                                "space",
                                "min_free",
                                "min_free_bytes",
                                "busy",
                                "max_other_iops",
                                "max_other_throughput",
                                "budget",
                                "share",
                                "bytes_per_day",
                                "ios_per_day",
                                "duty_cycle",
                                "shared",
                                "writes",
                                "engine",
                                "io_priority",
                                "labels"})
    EXPECT_NE(example.find(std::string(key) + ":"), std::string::npos) << key;
}

TEST(Load, GoodFilesAreGood) {
  for (const auto& file : yaml_files(kData / "good")) EXPECT_EQ(load(file).errors, Lines{}) << file;
}

TEST(Load, LineEndsAndByteOrderMarksMakeNoDifference) {
  const Target plain = only_target(target_with("writes: true"));
  EXPECT_EQ(load(kData / "good/crlf.yml").config.targets.at(0), plain);
  EXPECT_EQ(only_target("\xef\xbb\xbf" + target_with("writes: true")), plain);
}

TEST(Load, SaysWhyAFileCannotBeRead) {
  const test::TempDir directory;
  const std::string missing = (directory / "missing.yml").string();
  EXPECT_EQ(load(missing).errors, Lines{missing + ": open: No such file or directory"});
  const std::string itself = directory.path().string();
  EXPECT_EQ(load(itself).errors, Lines{itself + ": read: Is a directory"});
  EXPECT_EQ(load("").errors.size(), 1U);
}

TEST(Load, RefusesMoreThanOneMebibyte) {
  const test::TempDir directory;
  const auto file = test::write_file(directory / "c.yml", std::string(1024 * 1024 + 1, '#'));
  const std::string reason = "longer than 1MiB: split it into files and name them under include";
  EXPECT_EQ(load(file).errors, Lines{file.string() + ": " + reason});
  EXPECT_EQ(errors_of(std::string(1024 * 1024 + 1, '#')), Lines{"c.yml: " + reason});
  EXPECT_EQ(errors_of(std::string(1024 * 1024, '#')), Lines{});
}

TEST(Parse, NoTargetsAreValid) {
  for (const char* const text : {"", "\n", "# nothing\n", "targets: []\n", "targets:\n", "{}"}) {
    const Loaded loaded = parse(text, "c.yml");
    EXPECT_EQ(loaded.errors, Lines{}) << text;
    EXPECT_TRUE(loaded.config.targets.empty()) << text;
  }
}

TEST(Parse, DigestsTheText) {
  EXPECT_EQ(parse("targets: []\n", "c.yml").config.sha256,
            sha256(std::vector<std::string>{"targets: []\n"}));
}

TEST(Parse, FindsFlawsAllOverTheFile) {
  EXPECT_EQ(errors_of("profile: fast\ntargets:\n  - {name: a, path: a}\n  - {name: b}\n").size(),
            3U);
}

TEST(Parse, HoldsUpTo256Targets) {
  const auto targets = [](int count) {
    std::string text = "targets:\n";
    for (int i = 0; i < count; ++i) {
      const std::string n = std::to_string(i);
      text.append("  - {name: t").append(n).append(", path: /data/").append(n).append("}\n");
    }
    return text;
  };
  EXPECT_EQ(errors_of(targets(256)), Lines{});
  EXPECT_EQ(errors_of(targets(300)),
            Lines{"c.yml:258:5: targets[256]: 300 targets, at most 256 are possible"});
}

TEST(Parse, RefusesHugeNumbers) {
  for (const char* const keys :
       {"volume: {iops: 1e99}", "volume: {iops: 18446744073709551616}", "file: {size: 99999999TiB}",
        "budget: {bytes_per_day: 9223372036854775808B}", "budget: {share: 999999999999999999%}",
        "volume: {throughput: 99999999999TB/s}", "objective: {latency: 99999999999d, ratio: 9%}",
        "probes: [{use: randread, every: 292471208d}]",
        "probes: [{use: randread, queue_depth: 4294967297}]",
        "probes: [{use: latency, rate: 1e308}]"})
    EXPECT_EQ(errors_of(target_with(keys)).size(), 1U) << keys;
}

TEST(Parse, RefusesBinaryGarbage) {
  std::ifstream binary("/proc/self/exe", std::ios::binary);
  std::string text(256UL * 1024, '\0');
  binary.read(text.data(), static_cast<std::streamsize>(text.size()));
  EXPECT_EQ(errors_of(text), Lines{"c.yml:1:1: control character 0x7f: remove it, a configuration "
                                   "is plain text"});
}

// Comments are most of the example, and one is as good as another.
std::string example_without_comments() {
  std::istringstream example(test::read_whole(kExample));
  std::string text;
  for (std::string line; std::getline(example, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) text += line + "\n";
  }
  return text;
}

TEST(Parse, SurvivesATextThatEndsAnywhere) {
  const std::string text = example_without_comments();
  ASSERT_EQ(errors_of(text), Lines{});
  for (std::size_t length = 0; length <= text.size(); ++length)
    parse(std::string_view(text).substr(0, length), "c.yml");
}

TEST(Parse, SurvivesATextWithAnyByteChanged) {
  const std::string example = test::read_whole(kData / "good/custom_probes.yml");
  constexpr std::string_view kBytes("\0\n\t :-{}[]\"'#&*!|%9x\xff", 22);
  for (std::size_t i = 0; i < example.size(); ++i) {
    std::string text = example;
    text[i] = kBytes[i % kBytes.size()];
    parse(text, "c.yml");
    text.erase(i, 1);
    parse(text, "c.yml");
  }
}

}  // namespace
}  // namespace storage_probe::config
