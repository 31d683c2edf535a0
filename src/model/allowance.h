// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/promise.h"
#include "model/target.h"

namespace storage_probe {

// What a target may spend in 24 h: of bytes and I/Os the smaller of the configured figure and the
// share of what the promise allows in a day (where it is promised at all); of time the duty cycle.
Usage allowance_of(const BudgetRule& rule, const Promise& promise);

// What a run is charged with. The duty cycle bounds capacity probes and layouts only, so the time
// of a latency probe costs nothing: its bytes and I/Os do.
Usage charge_of(const ProbeReport& report);

}  // namespace storage_probe
