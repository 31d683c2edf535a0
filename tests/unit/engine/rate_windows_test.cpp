// SPDX-License-Identifier: Apache-2.0
#include "engine/rate_windows.h"

#include <gtest/gtest.h>

#include <chrono>

#include "engine/rate_profile.h"

namespace storage_probe::engine {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SteadyTime kStart{hours{1000}};

// One completion each `apart`, for `length`.
RateWindows even(Duration length, Duration apart) {
  RateWindows windows(kStart);
  for (Duration at = apart; at < length; at += apart) windows.add(kStart + at, 1);
  return windows;
}

TEST(RateWindows, AreFiveToTwentyOfRunsOfAnyLength) {
  for (Duration length = milliseconds{20}; length < hours{2}; length = length * 17 / 11) {
    const auto profile = even(length, length / 4000).profile(kStart + length);
    ASSERT_TRUE(profile);
    EXPECT_GE(profile->rates.size(), kFewestWindows);
    EXPECT_LE(profile->rates.size(), kMostWindows);
    const double rate = 4000 / to_seconds(length);
    for (const double seen : profile->rates) ASSERT_NEAR(seen, rate, 0.02 * rate);
    EXPECT_GE(profile->window * (profile->rates.size() + 1), length * 5 / 6);
  }
}

TEST(RateWindows, AreWholeThrottlingSlicesFromHalfASecondOn) {
  for (const int ms : {500, 750, 1350, 1750, 1999, 2750, 4500, 9000, 59'000}) {
    const auto profile =
        even(milliseconds{ms}, microseconds{200}).profile(kStart + milliseconds{ms});
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->window % milliseconds{100}, Duration{}) << ms;
  }
  EXPECT_LT(even(milliseconds{499}, microseconds{200}).profile(kStart + milliseconds{499})->window,
            milliseconds{100});
}

TEST(RateWindows, AreAtMostAQuarterOfASecondIfTwentyReach) {
  for (const int ms : {500, 1750, 2750, 4000}) {
    const auto profile = even(milliseconds{ms}, milliseconds{1}).profile(kStart + milliseconds{ms});
    EXPECT_LE(profile->window, milliseconds{250}) << ms;
  }
}

TEST(RateWindows, AreLongerWhereIosAreFew) {
  const Duration length = milliseconds{1750};
  EXPECT_EQ(even(length, microseconds{500}).profile(kStart + length)->window, milliseconds{100});
  EXPECT_EQ(even(length, milliseconds{10}).profile(kStart + length)->window, milliseconds{200});
}

// Linux's blkio controller lets each 100 ms' worth through at the start of the slice.
TEST(RateWindows, OfAThrottledRateAreEven) {
  RateWindows windows(kStart);
  for (int slice = 0; slice < 17; ++slice) {
    windows.add(kStart + milliseconds{100 * slice + 37}, 300);
  }
  const auto profile = windows.profile(kStart + milliseconds{1750});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->mean_error, 0);
  EXPECT_TRUE(windows.is_certain(kStart + milliseconds{1750}));
}

TEST(RateWindows, TellNothingOfNothing) {
  EXPECT_FALSE(RateWindows(kStart).profile(kStart));
  EXPECT_FALSE(RateWindows(kStart).profile(kStart + seconds{2}));
  RateWindows at_once(kStart);
  at_once.add(kStart + milliseconds{1}, 500);
  EXPECT_FALSE(at_once.profile(kStart + milliseconds{2}));
}

TEST(RateWindows, CountAllWhateverTheirLength) {
  RateWindows windows(kStart);
  for (int i = 1; i <= 1000; ++i) windows.add(kStart + milliseconds{i * i}, 3);
  EXPECT_EQ(windows.total(), 3000U);
  const auto profile = windows.profile(kStart + seconds{1000});
  ASSERT_TRUE(profile);
  double seen = 0;
  for (const double rate : profile->rates) seen += rate * to_seconds(profile->window);
  EXPECT_NEAR(seen, 3000, 100);  // without what is left over at the end
}

TEST(RateWindows, AreCertainOfAnEvenRateFrom1000IosAndHalfASecondOn) {
  const RateWindows fast = even(seconds{2}, microseconds{10});
  EXPECT_FALSE(fast.is_certain(kStart + milliseconds{499}));
  EXPECT_TRUE(fast.is_certain(kStart + milliseconds{500}));
  EXPECT_FALSE(even(milliseconds{990}, milliseconds{1}).is_certain(kStart + milliseconds{990}));
  EXPECT_TRUE(even(milliseconds{1010}, milliseconds{1}).is_certain(kStart + milliseconds{1010}));
}

TEST(RateWindows, AreNotCertainOfARateThatDrifts) {
  RateWindows windows(kStart);
  for (int i = 0; i < 10; ++i) {
    windows.add(kStart + milliseconds{100 * i + 50}, std::uint64_t(3000 + 30 * i));
  }
  EXPECT_FALSE(windows.is_certain(kStart + seconds{1}));  // 9 % in a second
  EXPECT_TRUE(windows.profile(kStart + seconds{1})->steady);
}

TEST(RateWindows, OfOneRingOfSeveralAreCertainWithItsShareOfTheIos) {
  const auto length = milliseconds{1000};
  const RateWindows windows = even(length, microseconds{1950});  // 512
  EXPECT_FALSE(windows.is_certain(kStart + length));
  EXPECT_TRUE(windows.is_certain(kStart + length, 2));
}

}  // namespace
}  // namespace storage_probe::engine
