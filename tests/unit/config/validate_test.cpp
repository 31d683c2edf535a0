// SPDX-License-Identifier: Apache-2.0
// One bad file per rule in tests/data/config/bad, with exactly what is said of it in the .txt
// beside it: a line for each error, without the directory.
#include "config/validate.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

const std::filesystem::path kBad = kData / "bad";

std::string without_directory(std::string line) {
  const std::string directory = kBad.string() + "/";
  for (std::size_t at = line.find(directory); at != std::string::npos; at = line.find(directory))
    line.erase(at, directory.size());
  return line;
}

TEST(BadFiles, AreRefusedWithExactlyTheseWords) {
  const auto files = yaml_files(kBad);
  EXPECT_GE(files.size(), 45U);
  for (const auto& file : files) {
    auto expected = file;
    expected.replace_extension(".txt");
    ASSERT_TRUE(std::filesystem::exists(expected)) << expected;
    std::string said;
    for (const std::string& error : load(file).errors) said += without_directory(error) + "\n";
    EXPECT_FALSE(said.empty()) << file;
    EXPECT_EQ(said, test::read_whole(expected)) << file;
  }
}

TEST(BadFiles, HaveNoConfiguration) {
  for (const auto& file : yaml_files(kBad)) EXPECT_TRUE(load(file).config.targets.empty()) << file;
}

TEST(Validate, AWriteProbeIsAllowedWhereWritesAre) {
  EXPECT_EQ(errors_of(target_with("writes: true\nprobes: [{use: randrw, every: 1h}]")), Lines{});
}

TEST(Validate, AnUnusedCustomProbeIsCheckedToo) {
  EXPECT_EQ(errors_of("probes: {slow: {kind: latency, queue_depth: 4}}").size(), 1U);
}

TEST(Validate, AFlawOfACustomProbeIsSaidOnce) {
  const std::string custom = "probes: {slow: {kind: latency, queue_depth: 4}}\n";
  EXPECT_EQ(
      errors_of(custom + target_with("probes: [{use: slow}, {use: slow, name: slower}]")).size(),
      1U);
}

TEST(Validate, ADepthThatTheFileCannotHoldIsTheUsesFault) {
  EXPECT_EQ(errors_of(target_with("file: {size: 1GiB}\nprobes: [{use: seqread, block_size: 1MiB, "
                                  "queue_depth: 1024}]")),
            Lines{});
}

}  // namespace
}  // namespace storage_probe::config
