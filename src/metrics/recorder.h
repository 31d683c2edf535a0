// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/snapshot.h"
#include "model/target.h"

namespace storage_probe::metrics {

// Adds reports up to the figures of a TargetStatus. Owned by the event loop, used on its thread. It
// owns the statuses; the snapshot gets copies.
class Recorder {
 public:
  // Takes over a configuration: new targets and probes start at 0, those that stay keep their
  // figures, the rest vanish.
  void configure(const std::vector<Target>& targets);

  void record(const ProbeReport& report);
  void skipped(const std::string& target, const std::string& probe, std::string_view reason);

  // Null when there is no such target. For what is not in a report: holds, budget, stuck, next
  // runs.
  TargetStatus* find(const std::string& target);

  // Copies of all statuses in config order; results older than max(3 x every, 3 min) at `now` are
  // left out of them.
  std::vector<TargetStatus> statuses(WallTime now) const;

  // Whether statuses(now) differs from statuses(before) by age alone: whether a result aged out.
  bool aged_out_between(WallTime before, WallTime now) const;

 private:
  std::vector<TargetStatus> targets_;
};

}  // namespace storage_probe::metrics
