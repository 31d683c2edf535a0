// SPDX-License-Identifier: Apache-2.0
#include "engine/run_clock.h"

#include <chrono>
#include <ctime>

namespace storage_probe::engine {
namespace {

// The loops wait for 250 ms at most, and the daemon ends who says nothing for longer than this.
constexpr Duration kLongestGap = std::chrono::seconds{5};
// Between two clocks that only sleep sets apart: what may pass between their readings.
constexpr Duration kMostApart = std::chrono::milliseconds{500};

}  // namespace

SteadyTime boot_time() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return SteadyTime(std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec});
}

RunClock::RunClock(const RunContext& context)
    : context_(context), reading_(context.clock()), now_(reading_), start_(reading_) {
  if (context.boot_clock) boot_start_ = context.boot_clock();
}

SteadyTime RunClock::read() {
  const SteadyTime reading = context_.clock();
  const Duration passed = reading - reading_;
  reading_ = reading;
  if (passed < Duration{} || passed > kLongestGap) has_stepped_ = true;
  if (passed > Duration{}) now_ += passed;
  return now_;
}

bool RunClock::is_suspect() const {
  if (has_stepped_ || !context_.boot_clock) return has_stepped_;
  const Duration apart = (context_.boot_clock() - boot_start_) - (reading_ - start_);
  return apart > kMostApart || apart < -kMostApart;
}

}  // namespace storage_probe::engine
