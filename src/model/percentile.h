// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace storage_probe {

// The percentiles that are reported, and the smallest sample that carries each: below it the
// maximum says as much. 90 and 95 need a sample beyond them with 95 % confidence (0.9^29, 0.95^59 <
// 0.05); the tails need ten samples beyond them on average, so that one slow I/O does not make the
// figure.
struct Percentile {
  std::string_view name;  // the value of the metric label `percentile`
  double quantile = 0;
  std::uint64_t min_samples = 0;
};

inline constexpr std::array<Percentile, 5> kPercentiles{{
    {"50", 0.5, 5},
    {"90", 0.9, 29},
    {"95", 0.95, 59},
    {"99", 0.99, 1'000},
    {"99.9", 0.999, 10'000},
}};

}  // namespace storage_probe
