// SPDX-License-Identifier: Apache-2.0
#include "config/yaml_text.h"

#include <gtest/gtest.h>

namespace storage_probe::config {
namespace {

TEST(Utf8, LengthOfAWellFormedSequence) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("ü"), 2U);
  EXPECT_EQ(utf8_length("…x"), 3U);
  EXPECT_EQ(utf8_length("\xf0\x9f\x92\xbe"), 4U);
}

TEST(Utf8, IsStrict) {
  for (const char* const bad : {"\xff", "\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf",
                                "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    EXPECT_EQ(utf8_length(bad), 0U) << bad;
}

TEST(Text, IsRefusedAtItsFirstFlaw) {
  const auto where = [](std::string_view text) {
    const auto refusal = check_text(text);
    return refusal ? std::pair(refusal->mark.line, refusal->mark.column) : std::pair(0U, 0U);
  };
  EXPECT_EQ(where("a: 1\r\nb:\t2\n"), std::pair(0U, 0U));
  EXPECT_EQ(where("a: 1\nb: \x01"), std::pair(2U, 4U));
  EXPECT_EQ(where("a: 1\rb: 2\n"), std::pair(1U, 5U));
  EXPECT_EQ(where(std::string_view("a\0b", 3)), std::pair(1U, 2U));
  EXPECT_EQ(where("a:\n \tb: 1"), std::pair(2U, 2U));
  EXPECT_EQ(where("a: 1\n\t# a comment\n\t\n"), std::pair(0U, 0U));
}

TEST(Text, MayBeOneMebibyte) {
  EXPECT_FALSE(check_text(std::string(kMaxFileBytes, '#')));
  const auto refusal = check_text(std::string(kMaxFileBytes + 1, '#'));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, "longer than 1MiB: split it into files and name them under include");
}

}  // namespace
}  // namespace storage_probe::config
