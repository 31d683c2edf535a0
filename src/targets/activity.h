// SPDX-License-Identifier: Apache-2.0
// How much others use a device: counters that are looked at each second go in, an answer comes out.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/units.h"
#include "model/promise.h"
#include "model/target.h"
#include "targets/device_watch.h"

namespace storage_probe::targets {

// What others do on a device, on average.
struct OtherIo {
  double iops = 0;        // completed per second
  double throughput = 0;  // bytes per second
  double in_flight = 0;
};

// How much of it does not yet keep a capacity probe or a layout from starting. What is not promised
// has no limit.
struct BusyLimits {
  std::optional<double> iops, throughput;

  bool operator==(const BusyLimits&) const = default;
};
// By the rule's shares of what is promised. A volume whose reads and writes are promised apart is
// held to the smaller of the two.
BusyLimits busy_limits(const Promise& promise, const BusyRule& rule);

// Which limit others exceed, for a message: "others do 2.1k I/Os per second, over 1.5k". With no
// limit at all more than 4 I/Os in flight are too many. Empty when they exceed none.
std::string why_busy(const OtherIo& others, const BusyLimits& limits);

// One device in the last seconds, on the thread of its owner. Seconds in which a run of ours used
// the device are left out: there is one run on a device at a time, and what it does is not told
// from what others do.
class Activity {
 public:
  enum class Second { others_only, ours_too };

  // The counters now; `since_last` says whose the time since the sample before was.
  void add(const CounterSample& sample, Second since_last);
  // The device is gone or another one: nothing is known of it.
  void forget();

  // Over the last five seconds that count; empty when there is none in the last minute.
  std::optional<OtherIo> others(SteadyTime now) const;
  // What keeps a probe of ours from starting, for a message: why_busy(), or I/Os of others in
  // flight in each of five samples, or a trim that goes on. Empty when nothing does, or too little
  // is known.
  std::string why_busy(const BusyLimits& limits, SteadyTime now) const;

 private:
  struct Interval {
    Usage counted;
    Ops in_flight;  // at its end
    bool trims = false;
    SteadyTime end;
  };

  bool is_known(SteadyTime now) const;

  std::optional<CounterSample> last_;
  std::deque<Interval> intervals_;  // the last five, the oldest first
};

}  // namespace storage_probe::targets
