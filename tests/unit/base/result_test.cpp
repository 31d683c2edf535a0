// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace storage_probe {
namespace {

TEST(Result, HoldsAValue) {
  const Result<int> result = 7;
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 7);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = Unexpected({Errc::denied, "no"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::denied);
}

TEST(Result, GivesAMoveOnlyValueAway) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> value = *std::move(result);
  EXPECT_EQ(*value, 3);
}

TEST(Result, OfVoidIsSuccessByDefault) {
  const Result<void> good;
  const Result<void> bad = Unexpected({Errc::io, "broken"});
  EXPECT_TRUE(good);
  EXPECT_FALSE(bad);
}

TEST(Error, ReadsFromTheOutsideIn) {
  const Error error = system_error(EACCES).in("open /data/p").in("probe db");
  EXPECT_EQ(error.message, "probe db: open /data/p: Permission denied");
  EXPECT_EQ(error.code, Errc::denied);
}

TEST(Error, KnowsWhatACallerMayDecideOn) {
  EXPECT_EQ(system_error(EINVAL).code, Errc::invalid);
  EXPECT_EQ(system_error(ENOENT).code, Errc::not_found);
  EXPECT_EQ(system_error(EADDRINUSE).code, Errc::busy);
  EXPECT_EQ(system_error(ENOSPC).code, Errc::exhausted);
  EXPECT_EQ(system_error(ETIMEDOUT).code, Errc::timed_out);
  EXPECT_EQ(system_error(EIO).code, Errc::io);
}

}  // namespace
}  // namespace storage_probe
