// SPDX-License-Identifier: Apache-2.0
#include "engine/write_log.h"

#include <gtest/gtest.h>

namespace storage_probe::engine {
namespace {

constexpr std::uint64_t kBlock = 4096;

TEST(WriteLog, FindsWhatWasWrittenInTheOrderOfTheFile) {
  WriteLog log({1, 100, Bytes{kBlock}});
  EXPECT_FALSE(log.find_from(0));
  log.complete(7 * kBlock, 1);
  log.complete(3 * kBlock, 2);
  log.complete(7 * kBlock, 3);
  const auto first = log.find_from(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->offset, 3 * kBlock);
  EXPECT_EQ(first->generation, 2U);
  const auto second = log.find_from(4 * kBlock);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->offset, 7 * kBlock);
  EXPECT_EQ(second->generation, 3U);
  EXPECT_FALSE(log.find_from(8 * kBlock));
}

TEST(WriteLog, KnowsWhatIsInFlight) {
  WriteLog log({1, 100, Bytes{kBlock}});
  EXPECT_FALSE(log.is_in_flight(kBlock));
  log.start(kBlock);
  EXPECT_TRUE(log.is_in_flight(kBlock));
  EXPECT_FALSE(log.is_in_flight(2 * kBlock));
  log.complete(kBlock, 1);
  EXPECT_FALSE(log.is_in_flight(kBlock));
}

TEST(WriteLog, ForgetsABlockWhoseWriteFailed) {
  WriteLog log({1, 100, Bytes{kBlock}});
  log.complete(kBlock, 1);
  log.start(kBlock);
  log.fail(kBlock);
  EXPECT_FALSE(log.find_from(0));
}

TEST(WriteLog, FollowsTheFirstPartOfARangeTooLarge) {
  constexpr std::uint64_t kMany = 1ULL << 40U, kLastFollowed = (1ULL << 22U) - 1;
  WriteLog log({0, kMany, Bytes{kBlock}});
  log.start((kMany - 1) * kBlock);
  EXPECT_FALSE(log.is_in_flight((kMany - 1) * kBlock));
  log.complete((kMany - 1) * kBlock, 1);
  EXPECT_FALSE(log.find_from(0));
  log.complete(kLastFollowed * kBlock, 2);
  EXPECT_TRUE(log.find_from(0));
}

TEST(WriteLog, HasNothingOutsideItsRange) {
  WriteLog log({5, 10, Bytes{kBlock}});
  log.complete(4 * kBlock, 1);
  log.complete(15 * kBlock, 1);
  EXPECT_FALSE(log.find_from(0));
}

}  // namespace
}  // namespace storage_probe::engine
