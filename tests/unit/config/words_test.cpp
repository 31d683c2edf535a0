// SPDX-License-Identifier: Apache-2.0
#include "config/words.h"

#include <gtest/gtest.h>

#include <array>

namespace storage_probe::config {
namespace {

constexpr auto kKnown = std::to_array<std::string_view>({"path", "probes", "iops", "block_size"});

TEST(Words, GuessWhatWasMeant) {
  const std::array<std::pair<const char*, const char*>, 5> cases{{{"pth", "path"},
                                                                  {"proebs", "probes"},
                                                                  {"iosp", "iops"},
                                                                  {"blocksize", "block_size"},
                                                                  {"Path", "path"}}};
  for (const auto& [word, meant] : cases)
    EXPECT_EQ(hint(word, kKnown), std::string(", did you mean \"") + meant + "\"?");
}

TEST(Words, ListWhatIsKnownWhenNothingIsClose) {
  EXPECT_EQ(hint("frequency", kKnown), ": known here are path, probes, iops and block_size");
  EXPECT_EQ(hint("xy", kKnown), ": known here are path, probes, iops and block_size");
  EXPECT_EQ(hint(std::string(100'000, 'p'), kKnown).find("mean"), std::string::npos);
}

TEST(Words, AreCutBetweenCharacters) {
  EXPECT_EQ(in_quotes("short"), "\"short\"");
  EXPECT_EQ(in_quotes("x" + std::string(59, 'x') + "ü"), '"' + std::string(60, 'x') + "…\"");
  std::string umlauts;
  for (int i = 0; i < 31; ++i) umlauts += "ü";
  EXPECT_EQ(in_quotes(umlauts), '"' + umlauts.substr(0, 60) + "…\"");
}

TEST(Names, AreLettersDigitsAndMarksInside) {
  for (const char* const good : {"a", "0", "mysql-data", "A.b_c-9"})
    EXPECT_EQ(flaw_of_name(good), "") << good;
  EXPECT_EQ(flaw_of_name(std::string(63, 'x')), "");
  for (const char* const bad : {"", ".", "..", "-a", "_a", "a/b", "a b", "ü", "a\n", "{basename}"})
    EXPECT_NE(flaw_of_name(bad), "") << bad;
  EXPECT_NE(flaw_of_name(std::string(64, 'x')), "");
}

TEST(Labels, AreNoneThatTheExporterSets) {
  for (const char* const good : {"team", "_x", "Team2", "severity"})
    EXPECT_EQ(flaw_of_label(good), "") << good;
  for (const char* const bad : {"", "2team", "a-b", "a:b", "__x", "target", "probe", "op", "le",
                                "percentile", "job", "instance", "volume_type"})
    EXPECT_NE(flaw_of_label(bad), "") << bad;
}

}  // namespace
}  // namespace storage_probe::config
