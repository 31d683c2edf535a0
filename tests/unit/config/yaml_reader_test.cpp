// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_reader.h"

#include <gtest/gtest.h>

#include <array>

namespace storage_probe::config {
namespace {

using std::chrono::seconds;

// One value under the key "k", and what reading it has told.
class Read {
 public:
  explicit Read(const std::string& yaml) : document_(parse_yaml("k: " + yaml + "\n")) {
    file_ = problems_.add_file("c.yml");
    const Value root(document_.root, {file_, document_.root.mark, {}}, problems_);
    fields_ = root.fields();
  }
  const Value& value() const { return *fields_.find("k"); }
  std::string error() const { return problems_.empty() ? "" : problems_.errors().front(); }

 private:
  Document document_;
  Problems problems_;
  std::size_t file_ = 0;
  Fields fields_;
};

TEST(YamlReader, ReadsQuantitiesWithTheirUnits) {
  EXPECT_EQ(Read("10s").value().duration(seconds(1), seconds(60)), seconds(10));
  EXPECT_EQ(Read("4KiB").value().bytes(Bytes{1}, kMiB), Bytes{4096});
  EXPECT_EQ(Read("5M").value().count(Ops{1}, Ops{9'000'000}), Ops{5'000'000});
  EXPECT_EQ(Read("1%").value().percent(0, 1), 0.01);
  EXPECT_EQ(Read("4750Mbit/s").value().byte_rate(), 593'750'000.0);
  EXPECT_EQ(Read("-1").value().integer(-1, 5), -1);
  EXPECT_EQ(Read("2.5").value().number(0.1, 5), 2.5);
  EXPECT_EQ(Read("false").value().yes_or_no(), false);
}

TEST(YamlReader, SaysTheBoundsOfANumber) {
  const Read read("2m");
  EXPECT_FALSE(read.value().duration(seconds(1), seconds(60)));
  EXPECT_EQ(read.error(), "c.yml:1:4: k: \"2m\" must be between 1s and 1m");
}

TEST(YamlReader, RefusesWhatOnlyLooksLikeANumber) {
  for (const char* const text : {"nan", "inf", "1e400", "0x10", "1_000", "1 ", "'1 '", "+1", "1e9"})
    EXPECT_EQ(Read(text).value().number(2, 1000), std::nullopt) << text;
  for (const char* const text : {"1.0", "99999999999999999999", "0x1", "1 2"})
    EXPECT_EQ(Read(text).value().integer(0, 10), std::nullopt) << text;
}

TEST(YamlReader, SaysWhichKindItExpects) {
  const Read list("[1]");
  list.value().text();
  EXPECT_EQ(list.error(), "c.yml:1:4: k: must be one value, not a list");
  const Read text("x");
  EXPECT_TRUE(text.value().list(3).empty());
  EXPECT_EQ(text.error(), "c.yml:1:4: k: must be a list, not \"x\": put it in [ ]");
  const Read nothing("");
  nothing.value().text();
  EXPECT_EQ(nothing.error(), "c.yml:1:1: k: has no value: give it one, or remove the key");
}

TEST(YamlReader, NamesMembersByTheirPath) {
  const Read read("[{a: 1}, {a: 2}]");
  const auto entries = read.value().list(5);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1].fields().find("a")->place().path, "k[1].a");
  EXPECT_EQ(entries[1].fields().find("b"), nullptr);
}

TEST(YamlReader, CutsListsThatAreTooLong) {
  const Read read("[1, 2, 3]");
  EXPECT_EQ(read.value().list(2).size(), 2U);
  EXPECT_EQ(read.error(), "c.yml:1:4: k: 3 entries, at most 2 are possible");
}

TEST(YamlReader, KeepsTheFirstOfTwoKeys) {
  const Read read("{a: 1, a: 2}");
  const Fields fields = read.value().fields();
  EXPECT_EQ(fields.find("a")->text(), "1");
  EXPECT_EQ(read.error(), "c.yml:1:11: k.a: duplicate key, already in line 1: keep one");
}

TEST(YamlReader, LeavesUnknownKeysOut) {
  constexpr auto kKnown = std::to_array<std::string_view>({"size"});
  const Read read("{sise: 1}");
  EXPECT_TRUE(read.value().fields(kKnown).empty());
  EXPECT_EQ(read.error(), "c.yml:1:5: k.sise: unknown key, did you mean \"size\"?");
}

TEST(YamlReader, RefusesMapsThatAreTooLarge) {
  std::string map = "{";
  for (int i = 0; i < 1025; ++i) map += "k" + std::to_string(i) + ": 1, ";
  const Read read(map + "}");
  EXPECT_TRUE(read.value().fields().empty());
  EXPECT_EQ(read.error(), "c.yml:1:4: k: more than 1024 keys");
}

}  // namespace
}  // namespace storage_probe::config
