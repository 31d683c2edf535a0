// SPDX-License-Identifier: Apache-2.0
// Whether others need a device that a capacity probe uses, or is about to use.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/target.h"
#include "targets/activity.h"
#include "targets/device_watch.h"

namespace storage_probe::worker {

// What others do while a run of ours is on the device: what is counted there, less what is ours,
// over the last half second to second. One attempt's, on the thread of its first ring.
class Contention {
 public:
  Contention(const Target& target, const ProbeSpec& spec);

  // Whether others do more than the target's rule allows; `ours` are the blocks that the run has
  // completed when the sample was taken.
  bool is_too_much(const targets::CounterSample& sample, Ops ours);

 private:
  struct Moment {
    targets::CounterSample sample;
    Ops ours;
  };

  targets::OtherIo others() const;

  targets::BusyLimits limits_;
  Bytes block_size_;
  unsigned depth_;
  std::deque<Moment> moments_;  // the oldest first
};

// Looks at the device for as long as a second, but no longer than it takes to see that it is idle.
// What others do there that keeps a capacity probe from starting; empty when nothing does, or
// nothing counts.
std::string find_others(const Target& target, const targets::DeviceWatch& device);

}  // namespace storage_probe::worker
