// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::cli {

// Runs one job in a worker to its end, waiting for it on the calling thread: an overdue worker is
// killed, and one that survives that is reported as stuck and left behind. `lock` is the target's,
// or empty. `progress` is called for each progress line.
ProbeReport run_probe(const Job& job, UniqueFd lock,
                      const std::function<void(const Progress&)>& progress);

}  // namespace storage_probe::cli
