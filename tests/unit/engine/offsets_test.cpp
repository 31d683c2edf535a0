// SPDX-License-Identifier: Apache-2.0
#include "engine/offsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace storage_probe::engine {
namespace {

constexpr Bytes kBlock{4096};

std::vector<std::uint64_t> blocks_of(Offsets offsets, std::size_t count) {
  std::vector<std::uint64_t> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(offsets.next() / kBlock.value);
  return blocks;
}

TEST(Offsets, SequentialStartsAtTheFirstBlockAndWraps) {
  const Offsets offsets(Pattern::sequential, {.first = 1, .count = 3, .block_size = kBlock}, 7);
  EXPECT_EQ(blocks_of(offsets, 7), (std::vector<std::uint64_t>{1, 2, 3, 1, 2, 3, 1}));
}

TEST(Offsets, RandomIsNeverOnNorNextToTheBlockBefore) {
  for (const std::uint64_t count : {4U, 5U, 6U, 100U}) {
    const auto blocks = blocks_of({Pattern::random, {5, count, kBlock}, count}, 10'000);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      const auto distance = std::abs(std::int64_t(blocks[i]) - std::int64_t(blocks[i - 1]));
      ASSERT_GT(distance, 1) << "of " << count << " blocks, at " << i;
    }
  }
}

TEST(Offsets, RandomReachesEveryBlockAboutEquallyOften) {
  std::map<std::uint64_t, int> hits;
  for (const auto block : blocks_of({Pattern::random, {1, 50, kBlock}, 3}, 50'000)) ++hits[block];
  ASSERT_EQ(hits.size(), 50U);
  EXPECT_EQ(hits.begin()->first, 1U);
  for (const auto& [block, count] : hits) EXPECT_NEAR(count, 1000, 200) << block;
}

TEST(Offsets, RandomCopesWithRangesThatAreAllNeighbours) {
  EXPECT_EQ(blocks_of({Pattern::random, {9, 1, kBlock}, 0}, 3),
            (std::vector<std::uint64_t>{9, 9, 9}));
  const auto two = blocks_of({Pattern::random, {0, 2, kBlock}, 0}, 100);
  const auto three = blocks_of({Pattern::random, {0, 3, kBlock}, 0}, 100);
  EXPECT_EQ(std::ranges::adjacent_find(two), two.end());
  EXPECT_EQ(std::ranges::adjacent_find(three), three.end());
  EXPECT_LE(std::ranges::max(three), 2U);
}

TEST(Offsets, TheSeedDecides) {
  const BlockRange range{0, 1'000'000, kBlock};
  const auto first = blocks_of({Pattern::random, range, 1}, 20);
  EXPECT_EQ(first, blocks_of({Pattern::random, range, 1}, 20));
  EXPECT_NE(first, blocks_of({Pattern::random, range, 2}, 20));
}

}  // namespace
}  // namespace storage_probe::engine
