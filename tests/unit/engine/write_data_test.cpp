// SPDX-License-Identifier: Apache-2.0
#include "engine/write_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

namespace storage_probe::engine {
namespace {

using Block = std::vector<std::byte>;

constexpr std::size_t kUnit = 4096, kSector = 512;

std::string text_of(std::span<const std::byte> memory) {
  return {reinterpret_cast<const char*>(memory.data()), memory.size()};
}

Block written(const WriteMark& mark, std::size_t size = 4 * kUnit, std::uint64_t seed = 1) {
  Block block(size);
  fill_with_noise(block, seed);
  stamp(block, mark, seed);
  return block;
}

// A part of a block that comes from another one.
Block with_part(Block block, const Block& other, std::size_t at, std::size_t size) {
  std::copy_n(other.begin() + std::ptrdiff_t(at), size, block.begin() + std::ptrdiff_t(at));
  return block;
}

TEST(WriteData, IsNoise) {
  Block memory(65'537);
  fill_with_noise(memory, 1);
  std::array<int, 256> counts{};
  for (const std::byte value : memory) ++counts[std::to_integer<std::size_t>(value)];
  for (const int count : counts) EXPECT_NEAR(count, 256, 100);
}

TEST(WriteData, NoTwoPagesOfAnyTwoWritesAreAlike) {
  Block block(4 * kUnit);
  fill_with_noise(block, 1);
  std::set<std::string> pages;
  for (std::uint64_t generation = 0; generation < 3; ++generation) {
    for (std::uint64_t offset = 0; offset < 3 * block.size(); offset += block.size()) {
      stamp(block, {7, offset, generation}, 1);
      for (std::size_t at = 0; at < block.size(); at += kUnit) {
        pages.insert(text_of(std::span(block).subspan(at, kUnit)));
      }
    }
  }
  EXPECT_EQ(pages.size(), 3U * 3U * 4U);
}

TEST(WriteData, StaysInsideABlockOfAnySize) {
  for (const std::size_t size : {0U, 1U, 15U, 511U, 512U, 4097U}) {
    const Block block = written({}, size);
    EXPECT_EQ(read_mark(block).has_value(), size == 512) << size;
  }
}

TEST(WriteData, ItsMarkIsReadBack) {
  const WriteMark mark{7, 1 << 20, 42};
  for (const std::size_t size : {512U, 1024U, 4096U, 4608U, 16384U, 1U << 20U}) {
    EXPECT_EQ(read_mark(written(mark, size)), mark) << size;
  }
}

TEST(WriteData, EachBitIsWatched) {
  const Block good = written({7, 8192, 42}, 4608);
  for (std::size_t at = 0; at < good.size(); ++at) {
    Block bad = good;
    bad[at] ^= std::byte{4};
    ASSERT_FALSE(read_mark(bad)) << at;
  }
}

// The same slot's noise in both: only stamps and seals differ.
TEST(WriteData, PartsOfTwoWritesAreNoBlock) {
  const Block old = written({7, 8192, 41});
  const Block now = written({7, 8192, 42});
  for (std::size_t at = 0; at < now.size(); at += kSector) {
    ASSERT_FALSE(read_mark(with_part(now, old, at, kSector))) << at;
    ASSERT_FALSE(read_mark(with_part(old, now, at, kSector))) << at;
  }
  for (std::size_t at = 0; at < now.size(); at += kUnit) {
    ASSERT_FALSE(read_mark(with_part(now, old, at, kUnit))) << at;
  }
}

TEST(WriteData, UnitsInTheWrongPlaceAreNoBlock) {
  Block swapped = written({7, 8192, 42});
  std::swap_ranges(swapped.begin(), swapped.begin() + kUnit, swapped.begin() + kUnit);
  EXPECT_FALSE(read_mark(swapped));
}

TEST(WriteData, WhatNobodyWroteHasNoMark) {
  EXPECT_FALSE(read_mark(Block(kUnit)));
  Block noise(kUnit);
  fill_with_noise(noise, 1);
  EXPECT_FALSE(read_mark(noise));
}

}  // namespace
}  // namespace storage_probe::engine
