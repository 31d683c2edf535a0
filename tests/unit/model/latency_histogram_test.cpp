// SPDX-License-Identifier: Apache-2.0
#include "model/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/hash.h"

namespace storage_probe {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOpen{std::int64_t{1} << LatencyHistogram::kMaxBits};

// Latencies from nanoseconds to minutes, as many in each octave.
Duration any_latency(Random& random) {
  return Duration(static_cast<std::int64_t>(random.next() >> (64 - 1 - random.below(39))));
}

LatencyHistogram of(const std::vector<Duration>& values) {
  LatencyHistogram histogram;
  for (const Duration value : values) histogram.record(value);
  return histogram;
}

std::vector<Duration> some_latencies(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Duration> values(count);
  for (Duration& value : values) value = any_latency(random);
  return values;
}

bool same(const LatencyHistogram& a, const LatencyHistogram& b) {
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(x); };
  return a.to_sparse() == b.to_sparse() && a.count() == b.count() && a.min() == b.min() &&
         a.max() == b.max() && near(a.sum_seconds(), b.sum_seconds()) &&
         near(a.moments().sum_squares, b.moments().sum_squares);
}

TEST(LatencyHistogram, IsEmptyAtFirst) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), 0s);
  EXPECT_EQ(histogram.max(), 0s);
  EXPECT_EQ(histogram.mean_seconds(), 0);
  EXPECT_EQ(histogram.stddev_seconds(), 0);
  EXPECT_FALSE(histogram.quantile(0.5));
  EXPECT_EQ(histogram.count_up_to(1h), 0U);
  EXPECT_TRUE(histogram.to_sparse().empty());
}

TEST(LatencyHistogram, QuantilesAreWithinItsPrecision) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto values = some_latencies(seed, 1 + seed * 97);
    const LatencyHistogram histogram = of(values);
    std::sort(values.begin(), values.end());
    for (const double q : {0.0, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      const auto n = static_cast<double>(values.size());
      const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * n - 1e-9)));
      const auto exact = static_cast<double>(values[rank - 1].count());
      const auto got = histogram.quantile(q);
      ASSERT_TRUE(got);
      ASSERT_NEAR(static_cast<double>(got->count()), exact, exact * 0.008) << "q " << q;
    }
  }
}

TEST(LatencyHistogram, QuantilesStayWithinWhatWasSeen) {
  const LatencyHistogram histogram = of({1'000'001ns});
  EXPECT_EQ(histogram.quantile(0), 1'000'001ns);
  EXPECT_EQ(histogram.quantile(1), 1'000'001ns);
}

TEST(LatencyHistogram, TakesTheRightRank) {
  std::vector<Duration> values;
  for (int i = 1; i <= 100; ++i) values.emplace_back(i);
  EXPECT_EQ(of(values).quantile(0.07), 7ns);
  EXPECT_EQ(of(values).quantile(0.99), 99ns);
  EXPECT_EQ(of(values).quantile(0.995), 100ns);
}

TEST(LatencyHistogram, GivesNoNumberForTheOpenBucket) {
  LatencyHistogram histogram = of({1ms, 2ms, kOpen, 2 * kOpen});
  EXPECT_TRUE(histogram.quantile(0.5));
  EXPECT_FALSE(histogram.quantile(0.75));
  EXPECT_FALSE(histogram.quantile(1));
  EXPECT_EQ(histogram.max(), 2 * kOpen);
  EXPECT_EQ(histogram.count_up_to(Duration::max()), 2U);
  EXPECT_TRUE(of({kOpen - 1ns}).quantile(1));
}

TEST(LatencyHistogram, HasMeanAndDeviation) {
  const LatencyHistogram histogram = of({1s, 3s});
  EXPECT_DOUBLE_EQ(histogram.mean_seconds(), 2);
  EXPECT_DOUBLE_EQ(histogram.stddev_seconds(), 1);
  EXPECT_NEAR(of(std::vector<Duration>(1000, 100us)).stddev_seconds(), 0, 1e-9);
}

TEST(LatencyHistogram, RecordsManyAtOnce) {
  LatencyHistogram histogram;
  histogram.record(5ms, 3);
  histogram.record(1ms, 0);
  EXPECT_TRUE(same(histogram, of({5ms, 5ms, 5ms})));
}

TEST(LatencyHistogram, TakesANegativeLatencyForNone) {
  const LatencyHistogram histogram = of({Duration(-5)});
  EXPECT_EQ(histogram.min(), 0s);
  EXPECT_EQ(histogram.quantile(0.5), 0ns);
}

TEST(LatencyHistogram, CountsUpToALimit) {
  const LatencyHistogram histogram = of({0ns, 10us, 1ms, 10ms, 1s});
  EXPECT_EQ(histogram.count_up_to(-1ns), 0U);
  EXPECT_EQ(histogram.count_up_to(0ns), 1U);
  EXPECT_EQ(histogram.count_up_to(2ms), 3U);
  EXPECT_EQ(histogram.count_up_to(1h), 5U);
}

TEST(LatencyHistogram, MergesInAnyOrder) {
  const LatencyHistogram a = of(some_latencies(1, 500));
  const LatencyHistogram b = of(some_latencies(2, 300));
  const LatencyHistogram c;
  LatencyHistogram left = a;
  left.merge(b);
  left.merge(c);
  LatencyHistogram bc = b;
  bc.merge(c);
  LatencyHistogram right = a;
  right.merge(bc);
  LatencyHistogram reversed = c;
  reversed.merge(b);
  reversed.merge(a);
  EXPECT_TRUE(same(left, right));
  EXPECT_TRUE(same(left, reversed));
  EXPECT_EQ(left.count(), 800U);
}

TEST(LatencyHistogram, IsRestoredFromItsSparseForm) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    LatencyHistogram histogram = of(some_latencies(seed, seed));
    if (seed % 3 == 0) histogram.record(3 * kOpen, seed);
    const auto restored = LatencyHistogram::restore(histogram.to_sparse(), histogram.moments());
    ASSERT_TRUE(restored) << seed;
    EXPECT_TRUE(same(*restored, histogram));
  }
  EXPECT_TRUE(LatencyHistogram::restore({}, {}));
}

TEST(LatencyHistogram, RefusesBucketsThatItCannotHaveMade) {
  const LatencyHistogram histogram = of({1ms, 5ms, 9ms});
  const auto sparse = histogram.to_sparse();
  const auto moments = histogram.moments();
  const auto refused = [&](auto change) {
    auto buckets = sparse;
    change(buckets);
    return !LatencyHistogram::restore(buckets, moments);
  };
  EXPECT_TRUE(refused([](auto& b) { std::swap(b[0], b[1]); }));
  EXPECT_TRUE(refused([](auto& b) { b[1].first = b[0].first; }));
  EXPECT_TRUE(refused([](auto& b) { b[1].second = 0; }));
  EXPECT_TRUE(refused([](auto& b) { b[2].first = LatencyHistogram::kBuckets; }));
  EXPECT_TRUE(refused([](auto& b) { b.erase(b.begin()); }));
  EXPECT_TRUE(refused([](auto& b) { b.pop_back(); }));
  EXPECT_TRUE(refused([](auto& b) { b.clear(); }));
  EXPECT_TRUE(refused([](auto& b) { b[1].second = 1'000'000; }));
  EXPECT_TRUE(refused([](auto& b) { b[0].second = b[1].second = ~0ULL / 2 + 1; }));
}

TEST(LatencyHistogram, RefusesMomentsThatItCannotHaveMade) {
  const LatencyHistogram histogram = of({1ms, 5ms, 9ms});
  const auto sparse = histogram.to_sparse();
  const auto refused = [&](auto change) {
    auto moments = histogram.moments();
    change(moments);
    return !LatencyHistogram::restore(sparse, moments);
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused([](auto& m) { m.sum_seconds = kNan; }));
  EXPECT_TRUE(refused([](auto& m) { m.sum_squares = HUGE_VAL; }));
  EXPECT_TRUE(refused([](auto& m) { m.sum_seconds = -1; }));
  EXPECT_TRUE(refused([](auto& m) { m.sum_seconds = 1; }));
  EXPECT_TRUE(refused([](auto& m) { m.sum_squares = 0; }));
  EXPECT_TRUE(refused([](auto& m) { m.min = 2ms; }));
  EXPECT_TRUE(refused([](auto& m) { m.max = 1h; }));
  EXPECT_TRUE(refused([](auto& m) { m.min = -1ns; }));
}

}  // namespace
}  // namespace storage_probe
