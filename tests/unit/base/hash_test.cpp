// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <array>

namespace storage_probe {
namespace {

// Changing these values would move every probe of every fleet.
TEST(StableHash, IsTheSameInEveryVersion) {
  EXPECT_EQ(stable_hash(""), stable_hash("", 0));
  static_assert(mix64(1) == 0x5692161d100b05e5U);
  EXPECT_EQ(Random(0).next(), 0xe220a8397b1dcdafU);  // the reference's first value for seed 0
}

TEST(StableHash, ChainsBySeed) {
  EXPECT_NE(stable_hash("b", stable_hash("a")), stable_hash("a", stable_hash("b")));
  EXPECT_NE(stable_hash("b", stable_hash("a")), stable_hash("ab"));
}

TEST(Random, RepeatsForASeed) {
  Random first(42);
  Random second(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first.next(), second.next());
}

TEST(Random, StaysBelowItsBoundAndReachesEveryValue) {
  Random random(1);
  std::array<int, 10> seen{};
  for (int i = 0; i < 10'000; ++i) ++seen.at(random.below(10));
  for (const int count : seen) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace storage_probe
