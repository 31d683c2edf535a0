// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/units.h"
#include "engine/clock.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// What one run does to which part of the file: blocks `first_block` to `first_block + blocks - 1`,
// counted in units of the spec's block size. What must not be touched, as a header in block 0, the
// caller leaves out.
struct Workload {
  ProbeSpec spec{};  // capacity: queue depth resolved; limits: at least one is set, 0 is no limit
  std::uint64_t first_block = 0;
  std::uint64_t blocks = 0;
  std::uint64_t seed = 0;  // of offsets, of the mix of operations and of what is written
};

// What a run needs from its caller besides the queue.
struct RunContext {
  Clock clock = std::chrono::steady_clock::now;
  Clock boot_clock{};  // boot_time(), to know whether the machine slept; may be empty
  // Told where the run is (phase measure): at most every 250 ms and at least each second, also
  // while nothing completes. May be empty.
  std::function<void(const Progress&)> progress{};
  // Of runs that are one probe together, on several threads: the first that stops says why, and the
  // others follow. Null for a run of its own; must outlive them.
  std::atomic<std::optional<StopReason>>* ended = nullptr;
  unsigned rings = 1;  // how many they are
  // Asked once, at the end of the warm-up, with the time that the run's thread has worked and the
  // time that has passed: yes ends the run with nothing measured. May be empty.
  std::function<bool(Duration worked, Duration passed)> gives_up{};
  // Asked ten times a second, from the first request on, with the blocks that have been completed,
  // by all rings: yes ends the run at once as `busy`. May be empty.
  std::function<bool(Ops completed)> must_end{};
  // Counts the blocks that all rings complete; null for a run of its own. Must outlive them.
  std::atomic<std::uint64_t>* completed = nullptr;
};

// Whether more than 1 % of all I/Os failed, or one fsync did, or the run gave up: it says nothing
// about speed.
bool failed_by_errors(const Measurement& measurement);

// Adds what another run of the same probe has spent and met; the figures of `to` stay.
void add_costs(Measurement& to, const Measurement& from);

// What is left of the limits, of which a member of 0 does not limit; empty when one is used up.
std::optional<Usage> left_of(const Usage& limits, const Measurement& spent);

// What reading back found to be wrong: such a volume loses data. Empty when it is as it was
// written.
std::optional<std::string> lost_writes(const Measurement& measurement);

}  // namespace storage_probe::engine
