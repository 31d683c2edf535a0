// SPDX-License-Identifier: Apache-2.0
#include "targets/activity.h"

#include <algorithm>
#include <chrono>

namespace storage_probe::targets {
namespace {

constexpr std::size_t kIntervals = 5;
// Some seconds must be found between runs of ours; what is older says nothing about now.
constexpr std::chrono::minutes kOldest{1};
// Longer, nobody looked: the machine slept, and the mean would hide what others do now.
constexpr std::chrono::seconds kLongestInterval{3};
// With no promise: more than a device has in flight that nobody waits for.
constexpr double kMostInFlight = 4;
// A file system that is mounted with `discard` trims a little after each of its commits; a trim
// that goes on, as that of fstrim, is seen in most seconds.
constexpr std::ptrdiff_t kTrimmingSeconds = 3;

std::optional<double> smaller(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::min(a, b) : (a ? a : b);
}

std::optional<double> share_of(std::optional<double> total, std::optional<double> reads,
                               std::optional<double> writes, double share) {
  const auto promised = total ? total : smaller(reads, writes);
  if (!promised) return std::nullopt;
  return *promised * share;
}

}  // namespace

BusyLimits busy_limits(const Promise& promise, const BusyRule& rule) {
  return {share_of(promise.iops, promise.read_iops, promise.write_iops, rule.max_other_iops),
          share_of(promise.throughput, promise.read_throughput, promise.write_throughput,
                   rule.max_other_throughput)};
}

std::string why_busy(const OtherIo& others, const BusyLimits& limits) {
  if (limits.iops && others.iops > *limits.iops) {
    return "others do " + human_count(others.iops) + " I/Os per second, over " +
           human_count(*limits.iops);
  }
  if (limits.throughput && others.throughput > *limits.throughput) {
    return "others move " + human_byte_rate(others.throughput) + ", over " +
           human_byte_rate(*limits.throughput);
  }
  const bool is_promised = limits.iops || limits.throughput;
  if (is_promised || others.in_flight <= kMostInFlight) return {};
  return "others have " + human_count(others.in_flight) + " I/Os in flight, over " +
         human_count(kMostInFlight);
}

void Activity::forget() {
  last_.reset();
  intervals_.clear();
}

void Activity::add(const CounterSample& sample, Second since_last) {
  const auto before = last_;
  last_ = sample;
  if (!before || since_last == Second::ours_too) return;
  const Usage counted = counted_between(*before, sample);
  if (counted.time <= Duration{} || counted.time > kLongestInterval) return;
  intervals_.push_back({counted, sample.counters.in_flight,
                        sample.counters.discards > before->counters.discards, sample.at});
  if (intervals_.size() > kIntervals) intervals_.pop_front();
}

bool Activity::is_known(SteadyTime now) const {
  return !intervals_.empty() && intervals_.front().end > now - kOldest;
}

std::optional<OtherIo> Activity::others(SteadyTime now) const {
  if (!is_known(now)) return std::nullopt;
  Usage sum;
  OtherIo others;
  for (const Interval& interval : intervals_) {
    sum += interval.counted;
    others.in_flight += static_cast<double>(interval.in_flight.value);
  }
  const double seconds = to_seconds(sum.time);
  others.iops = static_cast<double>(sum.ops.value) / seconds;
  others.throughput = static_cast<double>(sum.bytes.value) / seconds;
  others.in_flight /= static_cast<double>(intervals_.size());
  return others;
}

std::string Activity::why_busy(const BusyLimits& limits, SteadyTime now) const {
  const auto others_do = others(now);
  if (!others_do) return {};
  if (std::string why = targets::why_busy(*others_do, limits); !why.empty()) return why;
  const auto is_trimming = [](const Interval& interval) { return interval.trims; };
  if (std::count_if(intervals_.begin(), intervals_.end(), is_trimming) >= kTrimmingSeconds) {
    return "it is being trimmed";
  }
  const auto is_in_use = [](const Interval& interval) { return interval.in_flight > Ops{}; };
  if (intervals_.size() == kIntervals &&
      std::all_of(intervals_.begin(), intervals_.end(), is_in_use)) {
    return "others have I/Os in flight whenever it is looked at";
  }
  return {};
}

}  // namespace storage_probe::targets
