// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/probe_spec.h"
#include "model/target.h"

namespace storage_probe {

// The most that one run of a probe uses, without laying the probe file out. Capacity probes cost
// time, latency probes do not: the duty cycle is not about them. A probe whose I/Os nothing limits
// has a worst case that no budget grants.
Usage worst_case(const Target& target, const ProbeSpec& spec);

// Of that the most bytes that are written.
Bytes most_written(const ProbeSpec& spec);

}  // namespace storage_probe
