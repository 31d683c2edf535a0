// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/target.h"

namespace storage_probe {

// What a run on a shared mount has to agree on with the other hosts.
struct FleetTerms {
  Usage allowance;        // of all hosts together, in 24 h
  Usage worst_case;       // of the run, without laying the probe file out
  Usage layout;           // of laying it out
  Duration returns_in{};  // a run that is put off is tried again within
};

// What no run comes near.
inline constexpr Usage kUnlimited{Duration::max(), Bytes{~0ULL}, Ops{~0ULL}};

// What a worker is sent for.
enum class Errand { probe, clean_up };

// What a worker is told, on its standard input: one run on one target.
struct Job {
  Errand errand = Errand::probe;
  Target target;                         // its `probes` are not sent
  ProbeSpec spec;                        // queue depth resolved for capacity probes
  std::string host_id;                   // 16 hex digits; names the probe file
  Usage layout_allowance;                // the most that laying the probe file out may spend
  Bytes layout_per_day;                  // what later runs may add to it in a day; 0: not known
  std::optional<double> layout_rate;     // bytes per second; empty: as fast as it goes
  std::optional<FleetTerms> fleet;       // empty: a person's run, which is not charged to the fleet
  std::optional<Duration> idle_latency;  // of one small I/O, where an earlier run has told it
  bool depth_is_automatic = false;       // the spec's was chosen for it
  bool yields = false;  // a capacity probe looks whether others need the device first
  std::filesystem::path lock_directory;  // where the run takes its target's lock; empty: it is held
  bool keep_file = false;                // mode unnamed: leave the file behind, under a name
  std::string force;                     // clean_up: this file of the probe directory, and no other
  std::string procfs = "/proc";
  std::string sysfs = "/sys";
};

// Where a worker is. It says so at least once a second; the daemon's deadlines depend on it.
enum class Phase { open, preflight, lease, layout, measure };

struct Progress {
  Phase phase = Phase::open;
  double done = 0;     // of the phase, 0 to 1
  Duration elapsed{};  // in the phase
  double iops = 0;     // while measuring: over the last progress interval
};

std::string_view to_text(Phase phase);

// What cleaning up has found, and whether it is gone.
struct Cleaned {
  std::string path;
  std::string what;  // it is; for what is left also why
  bool is_removed = false;
};

}  // namespace storage_probe
