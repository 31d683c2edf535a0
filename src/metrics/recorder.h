// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/snapshot.h"
#include "model/target.h"
#include "model/verdict.h"

namespace storage_probe::metrics {

// Adds reports up to the figures of a TargetStatus. Owned by the event loop, used on its thread. It
// owns the statuses; the snapshot gets copies.
class Recorder {
 public:
  // Takes over a configuration: new targets and probes start at 0, those that stay keep their
  // figures, the rest vanish. A target whose path changes keeps its counters, and its state is
  // unknown until the next report.
  void configure(const std::vector<Target>& targets);

  // Reports of targets that are no longer configured are dropped; of a probe that is no longer
  // configured only what concerns its target counts. The state becomes what the report found; a
  // run that ended before it could look (a killed worker) leaves the state as it was.
  void record(const ProbeReport& report);
  // A verdict that counts, on a capacity probe of the target; `when` its evidence ended.
  void judged(const std::string& target, const std::string& probe, const Judgement& judgement,
              Evidence evidence, WallTime when);
  void skipped(const std::string& target, const std::string& probe, std::string_view reason);

  // Null when there is no such target; valid until the next configure(). For what is not in a
  // report: holds, budget, stuck_since, next runs.
  TargetStatus* find(const std::string& target);

  // Copies of all statuses in config order; results older than max(3 x every, 3 min) at `now` are
  // left out of them.
  std::vector<TargetStatus> statuses(WallTime now) const;

  // Whether statuses(now) differs from statuses(before) by age alone: whether a result aged out,
  // or came back because the clock was set back.
  bool aged_out_between(WallTime before, WallTime now) const;

 private:
  struct Entry {
    TargetStatus status;
    std::string volume_type;  // the operator's word; wins over what a report says
  };
  Entry* entry(const std::string& target);

  std::vector<Entry> entries_;
};

}  // namespace storage_probe::metrics
