// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/verdict.h"

namespace storage_probe {

// What is remembered of a run for a day: for the target's own median, the status page, and a
// daemon that starts anew.
struct RunRecord {
  WallTime ended;
  std::string target, probe;
  std::string volume_id;  // or what else told the volume apart
  Engine engine = Engine::automatic;
  std::string kernel;  // its release
  Outcome outcome = Outcome::ok;
  Evidence evidence = Evidence::probe;
  std::optional<double> iops, throughput;  // reads and writes, others' I/O included
  std::optional<Duration> latency;         // the median of reads and writes
  std::optional<Judgement> judgement;      // capacity only

  bool operator==(const RunRecord&) const = default;
};

}  // namespace storage_probe
