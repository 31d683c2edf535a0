// SPDX-License-Identifier: Apache-2.0
#include "engine/rate_profile.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace storage_probe::engine {
namespace {

using Rates = std::span<const double>;

constexpr double kMostRange = 0.2, kMostSlope = 0.1;  // of the mean: SNIA's steady state
constexpr double kDeepestTail = 0.75;                 // of the head, or it is no drop
constexpr std::size_t kFewestAround = 2;              // windows on each side of a drop
constexpr double kMostCorrelation = 0.7;

double mean_of(Rates rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

double squares_around(Rates rates, double mean) {
  double sum = 0;
  for (const double rate : rates) sum += (rate - mean) * (rate - mean);
  return sum;
}

// By how much the line of least squares rises from the first window to the last.
double rise_of(Rates rates) {
  const auto n = static_cast<double>(rates.size());
  const double middle = (n - 1) / 2;
  double products = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    products += (static_cast<double>(i) - middle) * rates[i];
  }
  return products / (n * (n * n - 1) / 12) * (n - 1);
}

bool is_even(Rates rates) {
  const double mean = mean_of(rates);
  const auto [lowest, highest] = std::minmax_element(rates.begin(), rates.end());
  return *highest - *lowest <= kMostRange * mean && std::abs(rise_of(rates)) <= kMostSlope * mean;
}

// Student's t: 97.5 % lie below it.
double student_t(std::size_t degrees_of_freedom) {
  constexpr std::size_t kFirst = kFewestWindows - 1;
  constexpr std::array<double, kMostWindows - kFirst> kTable{
      2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
      2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093};
  assert(degrees_of_freedom >= kFirst && degrees_of_freedom - kFirst < kTable.size());
  return kTable[degrees_of_freedom - kFirst];
}

double half_interval(double squares, std::size_t samples) {
  const auto n = static_cast<double>(samples);
  return student_t(samples - 1) * std::sqrt(squares / (n - 1) / n);
}

// Of windows that each have something of the one before.
double half_interval_by_correlation(Rates rates, double mean) {
  const auto n = static_cast<double>(rates.size());
  const double squares = squares_around(rates, mean);
  if (squares == 0) return 0;
  double products = 0;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    products += (rates[i - 1] - mean) * (rates[i] - mean);
  }
  const double unbiased = (n * products / squares + 1) / (n - 3);
  const double r = std::clamp(unbiased, 0.0, kMostCorrelation);
  return half_interval(squares * (1 + r) / (1 - r), rates.size());
}

// The first windows, too few for a batch, are left out.
double half_interval_by_batches(Rates rates, std::size_t batch_size) {
  const std::size_t batches = rates.size() / batch_size;
  std::array<double, kMostWindows> means{};
  for (std::size_t i = 0; i < batches; ++i) {
    means[i] = mean_of(rates.subspan(rates.size() % batch_size + i * batch_size, batch_size));
  }
  const Rates used(means.data(), batches);
  return half_interval(squares_around(used, mean_of(used)), batches);
}

double mean_error_of(Rates rates) {
  const double mean = mean_of(rates);
  double widest = half_interval_by_correlation(rates, mean);
  for (std::size_t size = 1; rates.size() / size >= kFewestWindows; ++size) {
    widest = std::max(widest, half_interval_by_batches(rates, size));
  }
  return widest / mean;
}

struct Split {
  Rates head, tail;  // without the window between them
};

Split best_split(Rates rates) {
  Split best;
  std::optional<double> least;
  for (std::size_t fell = kFewestAround; fell + kFewestAround < rates.size(); ++fell) {
    const Split split{rates.first(fell), rates.subspan(fell + 1)};
    const double squares = squares_around(split.head, mean_of(split.head)) +
                           squares_around(split.tail, mean_of(split.tail));
    if (least && squares >= *least) continue;
    least = squares;
    best = split;
  }
  return best;
}

std::optional<RateDrop> find_drop(Rates rates, Duration window) {
  const Split split = best_split(rates);
  const double head = mean_of(split.head);
  const double tail = mean_of(split.tail);
  if (tail > kDeepestTail * head || !is_even(split.head) || !is_even(split.tail)) return {};
  // Of the window between them, as much as its rate says.
  const double between = std::clamp((rates[split.head.size()] - tail) / (head - tail), 0.0, 1.0);
  const double windows = static_cast<double>(split.head.size()) + between;
  return RateDrop{head, tail, from_seconds(windows * to_seconds(window))};
}

}  // namespace

RateProfile profile_of(std::vector<double> rates, Duration window) {
  assert(rates.size() >= kFewestWindows && rates.size() <= kMostWindows);
  RateProfile profile;
  profile.window = window;
  profile.mean_error = mean_error_of(rates);
  profile.steady = is_even(rates);
  profile.drop = find_drop(rates, window);
  profile.rates = std::move(rates);
  return profile;
}

}  // namespace storage_probe::engine
