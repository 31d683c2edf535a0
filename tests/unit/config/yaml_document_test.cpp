// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_document.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <random>

namespace storage_probe::config {
namespace {

std::string repeat(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

TEST(YamlDocument, KeepsTextsAsWrittenWithTheirPlaces) {
  const Document document = parse_yaml("a: [1, 'x']\nb:\n  c: 1%\n");
  ASSERT_FALSE(document.refusal);
  const YamlNode& root = document.root;
  ASSERT_EQ(root.keys.size(), 2U);
  EXPECT_EQ(root.items[0].items[0].text, "1");
  EXPECT_EQ(root.items[0].items[1].text, "x");
  EXPECT_EQ(root.items[0].items[1].mark.column, 8U);
  EXPECT_EQ(root.items[1].items[0].text, "1%");
  EXPECT_EQ(root.items[1].items[0].mark.line, 3U);
}

TEST(YamlDocument, AnEmptyValueStandsWhereItsKeyDoes) {
  const Document document = parse_yaml("a:\n\n\nb: 1\n");
  ASSERT_FALSE(document.refusal);
  EXPECT_EQ(document.root.items[0].kind, YamlNode::Kind::null);
  EXPECT_EQ(document.root.items[0].mark.line, 1U);
}

TEST(YamlDocument, AnEmptyTextIsAnEmptyDocument) {
  for (const char* const text : {"", "# nothing\n", "---\n", "~\n", "null"}) {
    const Document document = parse_yaml(text);
    EXPECT_FALSE(document.refusal) << text;
    EXPECT_EQ(document.root.kind, YamlNode::Kind::null) << text;
  }
}

TEST(YamlDocument, FindsTheEndOfAQuotedTextInItsLine) {
  EXPECT_FALSE(parse_yaml("ü: \"é\"\nb: 'it''s'\nc: \"\\\"\"\nd: ''\n").refusal);
  const Document open = parse_yaml(
      "\xef\xbb\xbf"
      "ü: \"é\"\r\nb: 'it''s\r\nc: 1\r\n");
  ASSERT_TRUE(open.refusal);
  EXPECT_EQ(open.refusal->mark.line, 2U);
  EXPECT_EQ(open.refusal->mark.column, 4U);
}

TEST(YamlDocument, RefusesAliasesBeforeTheyMultiply) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c <= 'z'; ++c) {
    const std::string last = std::string("*") + static_cast<char>(c - 1);
    bomb += std::string(1, c) + ": &" + c + " [" + repeat(last + ", ", 9) + last + "]\n";
  }
  const Document document = parse_yaml(bomb);
  ASSERT_TRUE(document.refusal);
  EXPECT_EQ(document.refusal->mark.line, 1U);
}

TEST(YamlDocument, RefusesDeepNestingWithoutDescending) {
  for (const char* const part : {"[", "{", "- ", "? ", "{a: ", "[{", "a: ["}) {
    EXPECT_TRUE(parse_yaml(repeat(part, 100'000)).refusal) << part;
  }
  EXPECT_FALSE(parse_yaml(repeat("[", 20) + repeat("]", 20)).refusal);
  EXPECT_TRUE(parse_yaml(repeat("[", 21) + repeat("]", 21)).refusal);
}

TEST(YamlDocument, SurvivesWhatIsNoYaml) {
  std::mt19937 random(1);  // the same garbage in each run
  constexpr std::string_view kMarks = "{}[]:-?&*!|>'\"%@`,# \n\tab\\";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 40; ++i) text += kMarks[random() % kMarks.size()];
    parse_yaml(text);
    for (char& c : text) c = static_cast<char>(random());
    parse_yaml(text);
  }
}

TEST(YamlDocument, SurvivesAMebibyteOfAnything) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* const part : {"a: b\n", "[],", "'", "&a ", ": "}) {
    const std::string text = repeat(part, kMaxFileBytes / std::string_view(part).size());
    parse_yaml(text);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(2));
}

}  // namespace
}  // namespace storage_probe::config
