// SPDX-License-Identifier: Apache-2.0
#include "config/problems.h"

#include <gtest/gtest.h>

namespace storage_probe::config {
namespace {

using Lines = std::vector<std::string>;

TEST(Problems, ListsErrorsInTheOrderOfFilesAndLines) {
  Problems problems;
  const std::size_t a = problems.add_file("a.yml");
  const std::size_t b = problems.add_file("b.yml");
  problems.refuse({b, {1, 1}, "x"}, "late");
  problems.refuse({a, {9, 2}, "y"}, "second");
  problems.refuse({a, {2, 8}, "z[0].k"}, "first");
  EXPECT_EQ(problems.errors(),
            (Lines{"a.yml:2:8: z[0].k: first", "a.yml:9:2: y: second", "b.yml:1:1: x: late"}));
}

TEST(Problems, LeavesOutWhatAPlaceDoesNotHave) {
  Problems problems;
  problems.refuse({problems.add_file("a.yml"), {}, {}}, "no such file");
  EXPECT_EQ(problems.errors(), Lines{"a.yml: no such file"});
}

TEST(Problems, SaysTheSameOfAPlaceOnce) {
  Problems problems;
  const Place place{problems.add_file("a.yml"), {1, 1}, "x"};
  problems.refuse(place, "bad");
  problems.refuse(place, "bad");
  problems.refuse(place, "worse");
  EXPECT_EQ(problems.errors().size(), 2U);
}

TEST(Problems, ListsTwentyAtMostAndCountsTheRest) {
  Problems problems;
  const std::size_t file = problems.add_file("a.yml");
  for (unsigned line = 1; line <= 20; ++line) problems.refuse({file, {line, 1}, "x"}, "bad");
  EXPECT_EQ(problems.errors().back(), "a.yml:20:1: x: bad");
  problems.refuse({file, {21, 1}, "x"}, "bad");
  EXPECT_EQ(problems.errors().size(), 20U);
  EXPECT_EQ(problems.errors().back(), "and 2 more errors, not shown");
}

TEST(Problems, KeepsNotesApart) {
  Problems problems;
  problems.note({problems.add_file("a.yml"), {1, 1}, "x"}, "accepted");
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(problems.notes(), Lines{"a.yml:1:1: x: accepted"});
}

}  // namespace
}  // namespace storage_probe::config
