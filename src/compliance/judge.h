// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compliance/burst.h"
#include "model/probe_report.h"
#include "model/terms.h"
#include "model/verdict.h"

namespace storage_probe::compliance {

// Whether a finished capacity run shows what was promised. A pure function. Others' I/O on the
// device counts as delivered; an I/O above the type's cap counts as several; the larger of the two
// ratios decides, so that a volume whose throughput is used up by large I/Os delivers. What may
// have made the run look faster than the volume is (a clock, a cache, too few samples) comes before
// any answer; what may have made it look slower excuses only a run that is below the promise.
// `balance`: what was left of the volume's bursts at the run's end; empty where it has none.
Judgement judge(const ProbeReport& report, const Terms& terms,
                const std::optional<Balance>& balance);

// What of a run is judged, others' I/O included.
struct Achieved {
  double iops = 0;        // as the provider counts them
  double throughput = 0;  // bytes per second
};
Achieved achieved(const ProbeReport& report, const Terms& terms);

}  // namespace storage_probe::compliance
