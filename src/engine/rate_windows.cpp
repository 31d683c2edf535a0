// SPDX-License-Identifier: Apache-2.0
#include "engine/rate_windows.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/rate_profile.h"

namespace storage_probe::engine {
namespace {

constexpr Duration kSlice = std::chrono::milliseconds{100};
constexpr Duration kLongestWindow = std::chrono::milliseconds{250};  // unless there were over 20
constexpr Duration kShortestWindow = std::chrono::milliseconds{50};  // unless there were under 5
constexpr std::uint64_t kEnoughInAWindow = 100;
constexpr std::uint64_t kEnoughToBeCertain = 1000;
constexpr double kCertain = 0.02;

std::size_t rounded_up(std::uint64_t value, std::uint64_t divisor) {
  return static_cast<std::size_t>((value + divisor - 1) / divisor);
}

}  // namespace

void RateWindows::add(SteadyTime now, std::uint64_t completions) {
  while (now - start_ >= slot_ * kSlots) put_together();
  counts_[static_cast<std::size_t>((now - start_) / slot_)] += completions;
  total_ += completions;
}

void RateWindows::put_together() {
  for (std::size_t i = 0; i < kSlots / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
  std::fill(counts_.begin() + kSlots / 2, counts_.end(), 0);
  slot_ *= 2;
}

// In slots. A slot is a whole part of a slice or a whole number of slices.
std::size_t RateWindows::window_length(std::size_t slots, std::uint64_t completions) const {
  const auto slice = static_cast<std::size_t>(std::max<std::int64_t>(kSlice / slot_, 1));
  const std::size_t unit = slots / slice >= kFewestWindows ? slice : 1;
  const std::size_t shortest = rounded_up(slots, kMostWindows * unit);
  const std::size_t longest = std::clamp(static_cast<std::size_t>(kLongestWindow / (slot_ * unit)),
                                         shortest, slots / (kFewestWindows * unit));
  const auto calm = static_cast<std::size_t>(kShortestWindow / (slot_ * unit));
  const std::size_t enough =
      std::max(calm, rounded_up(kEnoughInAWindow * slots, completions * unit));
  return unit * std::clamp(enough, shortest, longest);
}

std::optional<RateProfile> RateWindows::profile(SteadyTime end) const {
  const auto slots = std::min(static_cast<std::size_t>((end - start_) / slot_), kSlots);
  if (slots < kFewestWindows) return std::nullopt;
  const std::span counts(counts_.data(), slots);
  const auto sum = [](auto part) {
    return std::accumulate(part.begin(), part.end(), std::uint64_t{0});
  };
  const std::uint64_t completions = sum(counts);
  if (completions == 0) return std::nullopt;
  const std::size_t length = window_length(slots, completions);
  std::vector<double> rates;
  for (std::size_t at = 0; at + length <= slots; at += length) {
    rates.push_back(static_cast<double>(sum(counts.subspan(at, length))) /
                    to_seconds(slot_ * length));
  }
  if (std::ranges::all_of(rates, [](double rate) { return rate == 0; })) return std::nullopt;
  return profile_of(std::move(rates), slot_ * length);
}

bool RateWindows::is_certain(SteadyTime end, unsigned parts) const {
  if (total_ * parts < kEnoughToBeCertain || end - start_ < kSlice * kFewestWindows) return false;
  const auto profile = this->profile(end);
  return profile && profile->window >= kSlice && profile->steady && profile->mean_error <= kCertain;
}

}  // namespace storage_probe::engine
