// SPDX-License-Identifier: Apache-2.0
#include "model/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace storage_probe {
namespace {

constexpr unsigned kSubBits = LatencyHistogram::kSubBits;
constexpr std::uint64_t kSubBuckets = 1ULL << kSubBits;
constexpr std::size_t kOpenBucket = LatencyHistogram::kBuckets - 1;
constexpr double kTolerance = 1e-6;  // of sums
// Counts beyond this are no count of I/Os, and a double could not hold them.
constexpr std::uint64_t kMostRestored = 1ULL << 53U;

// Buckets below 2 x 64 hold one value each; above, each octave is cut into 64.
std::size_t bucket_of(Duration latency) {
  const auto value = static_cast<std::uint64_t>(std::max(latency, Duration{}).count());
  if (value < kSubBuckets) return value;
  if ((value >> LatencyHistogram::kMaxBits) != 0) return kOpenBucket;
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kSubBits;
  return ((shift + 1) << kSubBits) + ((value >> shift) & (kSubBuckets - 1));
}

Duration middle_of(std::size_t bucket) {
  if (bucket < kSubBuckets) return Duration(bucket);
  const std::size_t shift = (bucket >> kSubBits) - 1;
  const std::uint64_t lower = (kSubBuckets + (bucket & (kSubBuckets - 1))) << shift;
  return Duration(lower + ((1ULL << shift) >> 1U));
}

// How many values the buckets hold; empty when to_sparse() cannot have made them.
std::optional<std::uint64_t> total_of(const LatencyHistogram::Sparse& buckets) {
  std::uint64_t total = 0;
  std::int64_t last = -1;
  for (const auto& [bucket, count] : buckets) {
    if (bucket <= last || bucket >= LatencyHistogram::kBuckets) return std::nullopt;
    if (count == 0 || count > kMostRestored - total) return std::nullopt;
    total += count;
    last = bucket;
  }
  return total;
}

// Whether n values between min and max can have these sums. The sums were added up in another
// order, so they are compared with some tolerance.
bool plausible(const LatencyHistogram::Moments& moments, double n) {
  const double sum = moments.sum_seconds;
  const double squares = moments.sum_squares;
  if (!std::isfinite(sum) || !std::isfinite(squares)) return false;
  const double min = to_seconds(moments.min);
  const double max = to_seconds(moments.max);
  return sum >= n * min * (1 - kTolerance) && sum <= n * max * (1 + kTolerance) &&
         squares >= sum * sum / n * (1 - kTolerance) && squares <= sum * max * (1 + kTolerance);
}

}  // namespace

void LatencyHistogram::reserve() {
  if (buckets_.empty()) buckets_.resize(kBuckets);
}

void LatencyHistogram::record(Duration latency, std::uint64_t times) {
  if (times == 0) return;
  reserve();
  latency = std::max(latency, Duration{});
  const double seconds = to_seconds(latency);
  const auto n = static_cast<double>(times);
  buckets_[bucket_of(latency)] += times;
  count_ += times;
  sum_seconds_ += n * seconds;
  sum_squares_ += n * seconds * seconds;
  min_ = std::min(min_, latency);
  max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  reserve();
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_seconds_ += other.sum_seconds_;
  sum_squares_ += other.sum_squares_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double LatencyHistogram::mean_seconds() const {
  return count_ == 0 ? 0 : sum_seconds_ / static_cast<double>(count_);
}

double LatencyHistogram::stddev_seconds() const {
  if (count_ == 0) return 0;
  const double mean = mean_seconds();
  // Rounding may leave the variance of equal values a little under 0.
  return std::sqrt(std::max(0.0, sum_squares_ / static_cast<double>(count_) - mean * mean));
}

std::optional<Duration> LatencyHistogram::quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  // The factor keeps a product such as 0.07 x 100 = 7.000000000000001 from asking for the eighth.
  const double position = std::ceil(q * static_cast<double>(count_) * (1 - 1e-12));
  const std::uint64_t rank = position >= static_cast<double>(count_)
                                 ? count_
                                 : static_cast<std::uint64_t>(std::max(1.0, position));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kOpenBucket; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::clamp(middle_of(i), min_, max_);
  }
  return std::nullopt;
}

std::uint64_t LatencyHistogram::count_up_to(Duration limit) const {
  if (count_ == 0) return 0;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kOpenBucket && middle_of(i) <= limit; ++i) seen += buckets_[i];
  return seen;
}

LatencyHistogram::Sparse LatencyHistogram::to_sparse() const {
  Sparse sparse;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] != 0) sparse.emplace_back(static_cast<std::uint32_t>(i), buckets_[i]);
  }
  return sparse;
}

std::optional<LatencyHistogram> LatencyHistogram::restore(const Sparse& buckets,
                                                          const Moments& moments) {
  LatencyHistogram result;
  if (buckets.empty()) {
    const bool zero = moments.sum_seconds == 0 && moments.sum_squares == 0 &&
                      moments.min == Duration{} && moments.max == Duration{};
    return zero ? std::optional(result) : std::nullopt;
  }
  const auto total = total_of(buckets);
  if (!total) return {};
  if (moments.min < Duration{} || moments.min > moments.max) return {};
  if (bucket_of(moments.min) != buckets.front().first) return {};
  if (bucket_of(moments.max) != buckets.back().first) return {};
  if (!plausible(moments, static_cast<double>(*total))) return {};
  result.reserve();
  for (const auto& [bucket, count] : buckets) result.buckets_[bucket] = count;
  result.count_ = *total;
  result.sum_seconds_ = moments.sum_seconds;
  result.sum_squares_ = moments.sum_squares;
  result.min_ = moments.min;
  result.max_ = moments.max;
  return result;
}

}  // namespace storage_probe
