// SPDX-License-Identifier: Apache-2.0
#include "engine/write_data.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace storage_probe::engine {
namespace {

std::string text_of(std::span<const std::byte> memory) {
  return {reinterpret_cast<const char*>(memory.data()), memory.size()};
}

TEST(WriteData, IsNoise) {
  std::vector<std::byte> memory(65'537);
  fill_with_noise(memory, 1);
  std::array<int, 256> counts{};
  for (const std::byte value : memory) ++counts[std::to_integer<std::size_t>(value)];
  for (const int count : counts) EXPECT_NEAR(count, 256, 100);
}

TEST(WriteData, NoTwoPagesOfAnyTwoWritesAreAlike) {
  std::vector<std::byte> block(4 * 4096);
  fill_with_noise(block, 1);
  std::set<std::string> pages;
  for (std::uint64_t generation = 0; generation < 3; ++generation) {
    for (std::uint64_t offset = 0; offset < 3 * block.size(); offset += block.size()) {
      stamp(block, offset, generation);
      for (std::size_t at = 0; at < block.size(); at += 4096) {
        pages.insert(text_of(std::span(block).subspan(at, 4096)));
      }
    }
  }
  EXPECT_EQ(pages.size(), 3U * 3U * 4U);
}

TEST(WriteData, StaysInsideABlockOfAnySize) {
  for (const std::size_t size : {0U, 1U, 15U, 512U, 4097U}) {
    std::vector<std::byte> block(size);
    fill_with_noise(block, 1);
    stamp(block, 0, 0);
  }
}

}  // namespace
}  // namespace storage_probe::engine
