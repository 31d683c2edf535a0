// SPDX-License-Identifier: Apache-2.0
#include "model/file_size.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

constexpr Bytes mib(std::uint64_t n) { return {n * kMiB.value}; }
constexpr Bytes gib(std::uint64_t n) { return {n * kGiB.value}; }

TEST(Space, KeepsTheSmallerOfTheTwoFree) {
  const SpaceRule rule{0.05, kGiB};
  EXPECT_EQ(room({gib(10), gib(5)}, rule), Bytes{gib(5).value - gib(10).value / 20});
  EXPECT_EQ(room({gib(1000), gib(5)}, rule), gib(4));
  EXPECT_EQ(room({gib(1000), mib(100)}, rule), Bytes{});
}

TEST(Space, HasRoomForEverythingWhereItIsFictional) {
  EXPECT_GE(room(space_of(Bytes{1ULL << 63U}, Bytes{}), {}), gib(1'000'000));
  EXPECT_GE(room(space_of(Bytes{}, Bytes{}), {}), gib(1'000'000));
}

TEST(DefaultFileSize, IsOnePercentWithinBounds) {
  EXPECT_EQ(default_file_size({gib(1), gib(1)}, gib(1)), mib(64));
  EXPECT_EQ(default_file_size({gib(50), gib(50)}, gib(50)), mib(512));
  EXPECT_EQ(default_file_size({gib(5000), gib(5000)}, gib(5000)), gib(1));
}

TEST(DefaultFileSize, ShrinksToTheRoomButNotToNothing) {
  EXPECT_EQ(default_file_size({gib(100), gib(1)}, Bytes{mib(100).value + 5}), mib(100));
  EXPECT_EQ(default_file_size({gib(100), gib(1)}, mib(16)), mib(16));
  EXPECT_EQ(default_file_size({gib(100), gib(1)}, mib(15)), std::nullopt);
  EXPECT_EQ(default_file_size({gib(100), gib(1)}, Bytes{}), std::nullopt);
}

}  // namespace
}  // namespace storage_probe
