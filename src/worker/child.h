// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace storage_probe::worker {

// The whole life of a worker process, the only one that touches a path inside a target: reads the
// Job from `in`, runs its probe, and writes progress lines and one report to `out`. Returns the
// exit code: 0 with a report, whatever it says; 1 when there was no job to read or nobody to
// report to.
int run_worker(int in, int out);

}  // namespace storage_probe::worker
