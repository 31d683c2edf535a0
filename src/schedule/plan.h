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

// The promise for what a probe does, per second: where reads and writes are promised apart, the
// larger of those it uses, because a mix may reach either.
std::optional<double> promised_iops(const ProbeSpec& spec, const Promise& promise);
std::optional<double> promised_throughput(const ProbeSpec& spec, const Promise& promise);

// How long the volume takes at its promise to answer what a probe has in flight, and so how long an
// I/O of others waits at most for it. Empty without a promise.
std::optional<Duration> added_latency(const ProbeSpec& spec, const VolumeSpec& volume);

// The most bytes that laying the target's probe file out writes: its size, or the largest that a
// size chosen from the volume can have. Nothing where the target has no file of ours.
Bytes layout_cost(const Target& target);
// At most how fast a layout writes, in bytes per second: a quarter of what is promised.
double layout_rate(const Promise& promise);
// The whole layout as a usage, at that rate.
Usage layout_usage(const Target& target);
// What of the whole layout the next run may spend, when of a day's allowance `taken` is in use or
// needed: all that is left, and at least what is worth a run, even where that is not left (a file
// may be laid out by many runs, but not by thousands). Zero time in the allowance is no limit.
Usage layout_piece(const Target& target, const Usage& allowance, const Usage& taken);
// What a day's allowance adds to the probe file, as long as it is not whole; 0 without a layout.
Bytes layout_per_day(const Target& target, const Usage& allowance);

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

// When a run that another host's turn has put off is tried again.
Duration lease_retry(Duration every);

// How long a due probe waits for what another holds before its slot is skipped.
Duration patience(Duration every);

}  // namespace storage_probe::schedule
