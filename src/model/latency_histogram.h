// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"

namespace storage_probe {

// Log-linear buckets, 64 to an octave as fio has them: a value is known to within 0.8 %. Any two
// histograms merge. An empty one is small; the first record() or reserve() allocates the buckets,
// and nothing after it does. Values from 2^40 ns (18 minutes) up share one open bucket, which has
// no upper bound: a quantile that falls there is empty, never a number.
class LatencyHistogram {
 public:
  static constexpr unsigned kSubBits = 6;  // 64 buckets an octave
  static constexpr unsigned kMaxBits = 40;
  static constexpr std::size_t kBuckets = ((kMaxBits - kSubBits + 1) << kSubBits) + 1;
  using Sparse = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // bucket, count

  void reserve();
  void record(Duration latency) { record(latency, 1); }
  void record(Duration latency, std::uint64_t times);
  void merge(const LatencyHistogram& other);

  std::uint64_t count() const { return count_; }
  // Below: 0 when empty.
  Duration min() const { return count_ == 0 ? Duration{} : min_; }
  Duration max() const { return max_; }
  double sum_seconds() const { return sum_seconds_; }
  double mean_seconds() const;
  double stddev_seconds() const;

  // The middle of the bucket that holds the q-quantile, q in [0, 1], kept within [min, max]. Empty
  // when nothing was recorded or the quantile lies in the open bucket.
  std::optional<Duration> quantile(double q) const;

  // The number of values up to `limit`, to the buckets' precision: a bucket counts by its middle.
  std::uint64_t count_up_to(Duration limit) const;

  // For the wire: the non-empty buckets, ascending; restore() rejects (returns false) what
  // to_sparse() cannot have made.
  Sparse to_sparse() const;
  struct Moments {
    double sum_seconds = 0, sum_squares = 0;  // seconds, seconds squared
    Duration min{}, max{};
  };
  Moments moments() const { return {sum_seconds_, sum_squares_, min(), max_}; }
  static std::optional<LatencyHistogram> restore(const Sparse& buckets, const Moments& moments);

 private:
  std::vector<std::uint64_t> buckets_;  // empty or kBuckets long
  std::uint64_t count_ = 0;
  double sum_seconds_ = 0;
  double sum_squares_ = 0;
  Duration min_ = Duration::max();
  Duration max_{};
};

}  // namespace storage_probe
