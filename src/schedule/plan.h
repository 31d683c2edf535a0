// SPDX-License-Identifier: Apache-2.0
// What follows from a configuration alone: what a run costs at most, how deep it queues, and when
// its turn is.
#pragma once

#include <optional>
#include <string_view>

#include "base/units.h"
#include "model/probe_spec.h"
#include "model/promise.h"
#include "model/target.h"

namespace storage_probe::schedule {

// The most that one run of a probe uses, without laying the probe file out. Capacity probes cost
// time, latency probes do not: the duty cycle is not about them. A probe whose I/Os nothing limits
// has a worst case that no budget grants.
Usage worst_case(const Target& target, const ProbeSpec& spec);

// The most bytes that laying the target's probe file out writes: its size, or the largest that a
// size chosen from the volume can have. Nothing where the target has no file of ours.
Bytes layout_cost(const Target& target);
// At most how fast a layout writes, in bytes per second: a quarter of what is promised.
double layout_rate(const Promise& promise);
// The whole layout as a usage.
Usage layout_usage(const Target& target);

// The depth of a run: the configured one, 1 for latency probes, else from what the volume promises
// and the latency it has when idle (empty: not known yet, then by its type). The worker, which
// knows the file, goes no deeper than half of its blocks.
unsigned queue_depth(const ProbeSpec& spec, const VolumeSpec& volume,
                     std::optional<Duration> idle_latency);

// Where in each `every` the slots of a probe lie: the same in every run and version, spread evenly
// over hosts, targets and probes.
Duration phase_of(std::string_view host_id, std::string_view target, std::string_view probe,
                  Duration every);

// The first slot after `now`. Slots are phase + k x every on the monotonic clock, counted from its
// epoch: neither a late run nor a restart moves them.
SteadyTime slot_after(SteadyTime now, Duration phase, Duration every);

// How long a due probe waits for what another holds before its slot is skipped.
Duration patience(Duration every);

}  // namespace storage_probe::schedule
