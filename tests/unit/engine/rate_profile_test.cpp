// SPDX-License-Identifier: Apache-2.0
#include "engine/rate_profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "base/hash.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;

constexpr Duration kWindow = milliseconds{100};
constexpr double kTrueRate = 3000;

double uniform(Random& random) { return double(random.next() >> 11U) * 0x1p-53; }

double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

// Windows of a rate with 5 % of noise, of which `correlation` stays from one to the next.
std::vector<double> noisy(Random& random, std::size_t windows, double correlation) {
  std::vector<double> rates;
  double noise = normal(random);
  for (std::size_t i = 0; i < windows; ++i) {
    rates.push_back(kTrueRate * (1 + 0.05 * noise));
    noise = correlation * noise + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return rates;
}

// In how many of 500 runs the true rate lies in the interval that is told.
int held(std::size_t windows, double correlation) {
  Random random(7);
  int held = 0;
  for (int run = 0; run < 500; ++run) {
    const RateProfile profile = profile_of(noisy(random, windows, correlation), kWindow);
    double mean = 0;
    for (const double rate : profile.rates) mean += rate / double(windows);
    if (std::abs(mean - kTrueRate) <= profile.mean_error * mean) ++held;
  }
  return held;
}

TEST(RateProfile, TheIntervalHoldsTheTrueRateOfIndependentWindows) {
  for (const std::size_t windows : {5U, 8U, 12U, 17U, 20U}) EXPECT_GE(held(windows, 0), 475);
}

TEST(RateProfile, TheIntervalHoldsTheTrueRateOfCorrelatedWindowsToo) {
  for (const std::size_t windows : {5U, 8U, 12U, 17U, 20U}) EXPECT_GE(held(windows, 0.3), 450);
  for (const std::size_t windows : {17U, 20U}) EXPECT_GE(held(windows, 0.5), 450);
}

TEST(RateProfile, TheIntervalNarrowsWithTheNoise) {
  const double wide = profile_of({2900, 3100, 2950, 3050, 3000}, kWindow).mean_error;
  EXPECT_NEAR(wide, 0.0327, 1e-3);  // t of 4 x 79 / sqrt(5) / 3000: no window follows another
  EXPECT_NEAR(profile_of({2990, 3010, 2995, 3005, 3000}, kWindow).mean_error, wide / 10, 1e-3);
  EXPECT_EQ(profile_of({3000, 3000, 3000, 3000, 3000}, kWindow).mean_error, 0);
}

// SNIA's Performance Test Specification.
TEST(RateProfile, IsSteadyWithinAFifthOfRangeAndATenthOfSlope) {
  EXPECT_TRUE(profile_of({95, 100, 105, 100, 100}, kWindow).steady);
  EXPECT_TRUE(profile_of({100, 91, 100, 109, 100}, kWindow).steady);
  EXPECT_FALSE(profile_of({100, 89, 100, 111, 100}, kWindow).steady);
  EXPECT_TRUE(profile_of({96, 98, 100, 102, 104}, kWindow).steady);
  EXPECT_FALSE(profile_of({94, 97, 100, 103, 106}, kWindow).steady);
}

TEST(RateProfile, ABurstThatEndsIsHeadAndTail) {
  const auto drop = profile_of({6000, 6010, 5990, 6000, 4500, 3000, 3010, 2990}, kWindow).drop;
  ASSERT_TRUE(drop);
  EXPECT_NEAR(drop->head_iops, 6000, 10);
  EXPECT_NEAR(drop->tail_iops, 3000, 10);
  EXPECT_NEAR(to_seconds(drop->head), 0.45, 0.01);
}

TEST(RateProfile, ABurstMayEndBetweenTwoWindows) {
  const auto drop = profile_of({6000, 6000, 6000, 3000, 3000, 3000, 3000}, kWindow).drop;
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->head_iops, 6000);
  EXPECT_EQ(drop->tail_iops, 3000);
  EXPECT_NEAR(to_seconds(drop->head), 0.3, 1e-9);
}

TEST(RateProfile, WhatIsNotOneFallIsNoDrop) {
  const std::vector<std::vector<double>> others{
      {3000, 3000, 3000, 3000, 3000, 3000},        // even
      {6000, 5400, 4800, 4200, 3600, 3000, 2400},  // a slope
      {3000, 3000, 3000, 6000, 6000, 6000, 6000},  // a rise
      {4000, 4000, 4000, 3100, 3100, 3100, 3100},  // too little
      {6000, 6000, 0, 6000, 6000, 6000},           // a stall
      {6000, 2000, 6000, 2000, 6000, 2000, 2000},  // up and down
      {6000, 3000, 3000, 3000, 3000, 3000},        // one window only
  };
  for (const auto& rates : others) EXPECT_FALSE(profile_of(rates, kWindow).drop) << rates[0];
}

}  // namespace
}  // namespace storage_probe::engine
