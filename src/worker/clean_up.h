// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job.h"
#include "model/probe_report.h"
#include "worker/reporter.h"

namespace storage_probe::worker {

// The errand clean_up, inside a worker: gives back what layouts have made on the job's target, or
// removes the one file that the job forces. Each thing is told as it happens; the report says
// whether all that is ours is gone.
ProbeReport clean_up(const Job& job, const Reporter& reporter);

}  // namespace storage_probe::worker
