// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

// Counts the completions of a measured window whose length nobody knows beforehand, as it may end
// by its I/Os: in slots of 1/32 of 100 ms at first, two and two put together whenever they no
// longer reach. Allocates nothing, and reads no clock.
class RateWindows {
 public:
  explicit RateWindows(SteadyTime start) : start_(start) {}

  // `completions` have come since the last call; once a batch. `now` never goes back.
  void add(SteadyTime now, std::uint64_t completions);
  std::uint64_t total() const { return total_; }

  // The course of the rate until `end`, in 5 to 20 equal windows; what is left over at the end,
  // less than a window, is left out. They are as short as 100 I/Os and 50 ms in each allow: what
  // else the machine does for a few milliseconds is no course of the rate. From half a second on
  // they are whole multiples of 100 ms, the slices in which Linux throttles: any other length sees
  // now one more and now one less of them. Empty when there is too little to tell.
  std::optional<RateProfile> profile(SteadyTime end) const;

  // Whether more of the same would not change the mean by 2 %: 1,000 I/Os, five windows of whole
  // slices, a 95 % interval within 2 % of the mean, and a rate that does not drift.
  // This one is one of `parts` equal ones that run together, whose I/Os count together.
  bool is_certain(SteadyTime end, unsigned parts = 1) const;

 private:
  static constexpr std::size_t kSlots = 320;  // a second, before they are put together

  void put_together();
  std::size_t window_length(std::size_t slots, std::uint64_t completions) const;

  SteadyTime start_;
  Duration slot_ = std::chrono::nanoseconds{3'125'000};
  std::array<std::uint64_t, kSlots> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace storage_probe::engine
