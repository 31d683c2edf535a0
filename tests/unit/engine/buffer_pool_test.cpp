// SPDX-License-Identifier: Apache-2.0
#include "engine/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace storage_probe::engine {
namespace {

bool is_page_aligned(std::span<std::byte> memory) {
  return reinterpret_cast<std::uintptr_t>(memory.data()) % 4096 == 0;
}

TEST(BufferPool, AlignsEverySlotToAPage) {
  const auto pool = BufferPool::create(3, Bytes{512});
  ASSERT_TRUE(pool) << pool.error().message;
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    EXPECT_TRUE(is_page_aligned(pool->slot(slot)));
    EXPECT_EQ(pool->slot(slot).size(), 512U);
  }
}

TEST(BufferPool, KeepsItsSlotsApart) {
  const auto pool = BufferPool::create(2, Bytes{6000});
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_GE(pool->slot(1).data(), pool->slot(0).data() + 6000);
  EXPECT_LE(pool->slot(1).data() + 6000, pool->memory().data() + pool->memory().size());
}

TEST(BufferPool, StaysMappedWhileAShareIsLeft) {
  auto pool = BufferPool::create(1, Bytes{4096});
  ASSERT_TRUE(pool) << pool.error().message;
  const BufferPool share = pool->share();
  { const BufferPool first_owner = *std::move(pool); }
  share.slot(0)[0] = std::byte{1};
  EXPECT_EQ(share.slot(0)[0], std::byte{1});
}

TEST(BufferPool, RefusesWhatCannotBe) {
  EXPECT_EQ(BufferPool::create(0, Bytes{4096}).error().code, Errc::invalid);
  EXPECT_EQ(BufferPool::create(1, Bytes{0}).error().code, Errc::invalid);
  const Bytes all{std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(BufferPool::create(2, all).error().message,
            "I/O buffers: 2 of 18446744073709551615B cannot be");
}

TEST(BufferPool, SaysHowMuchMemoryThereIsNot) {
  const auto pool = BufferPool::create(1, Bytes{1ULL << 60U});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().code, Errc::exhausted);
  EXPECT_NE(pool.error().message.find("Cannot allocate memory"), std::string::npos)
      << pool.error().message;
}

}  // namespace
}  // namespace storage_probe::engine
