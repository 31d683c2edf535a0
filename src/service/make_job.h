// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/units.h"
#include "model/job.h"
#include "model/snapshot.h"
#include "model/target.h"

namespace storage_probe::service {

// The run of `spec` on `target`, with what earlier runs say about the volume: a capacity probe's
// queue depth from the idle latency, which is the median of the last latency probe within 24 h, and
// that latency for the worker's own doubts.
// `status` may be null. Who and where (host id, allowance, roots) is the caller's to fill in.
Job make_job(const Target& target, const ProbeSpec& spec, const TargetStatus* status, WallTime now);

// What one small I/O takes on this volume when little else goes on: the median of the last latency
// probe within 24 h, unless others were at work. Empty: not known. `status` may be null.
std::optional<Duration> idle_latency(const TargetStatus* status, WallTime now);

// What the run has to agree on with other hosts, should they share the mount; `reserved` is what
// this host has set aside for it, laying the probe file out included.
FleetTerms fleet_terms(const Target& target, const PlannedProbe& probe, const Usage& reserved);

}  // namespace storage_probe::service
