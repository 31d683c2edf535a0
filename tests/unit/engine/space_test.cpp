// SPDX-License-Identifier: Apache-2.0
#include "engine/space.h"

#include <gtest/gtest.h>

#include "support/checked_directory.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
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
  EXPECT_GE(room({Bytes{1ULL << 63U}, Bytes{}, true}, {}), gib(1'000'000));
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

TEST(SizeToLayOut, IsTheConfiguredOneInWholeBlocks) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  EXPECT_EQ(*size_to_lay_out(directory, test::request(Bytes{mib(1).value + 100000})),
            Bytes{mib(1).value + 65536});
  EXPECT_EQ(*size_to_lay_out(directory, test::request(Bytes{1})), Bytes{128 * 1024});
}

TEST(SizeToLayOut, SaysHowMuchSpaceIsMissing) {
  const test::TempDir dir;
  const auto size = size_to_lay_out(test::checked(dir.path()), test::request(Bytes{1ULL << 55U}));
  ASSERT_FALSE(size);
  EXPECT_EQ(size.failure().code, "no_space");
  EXPECT_NE(size.failure().message.find("are needed"), std::string::npos);
}

TEST(IsSizeWanted, ComparesAConfiguredSizeExactly) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  EXPECT_TRUE(*is_size_wanted(directory, test::request(mib(2)), mib(2)));
  EXPECT_FALSE(*is_size_wanted(directory, test::request(mib(2)), mib(3)));
}

TEST(IsSizeWanted, LetsADefaultSizeBeRoughlyRight) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  FileRequest automatic = test::request(Bytes{});
  automatic.spec.size.reset();
  const auto wanted = size_to_lay_out(directory, automatic);
  if (!wanted) GTEST_SKIP() << "no space here";
  EXPECT_TRUE(*is_size_wanted(directory, automatic, *wanted));
  EXPECT_TRUE(*is_size_wanted(directory, automatic, {wanted->value * 3 / 2}));
  EXPECT_FALSE(*is_size_wanted(directory, automatic, {wanted->value * 3}));
  EXPECT_FALSE(*is_size_wanted(directory, automatic, {wanted->value / 3}));
}

}  // namespace
}  // namespace storage_probe::engine
