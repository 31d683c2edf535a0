// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "engine/run.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

// The open loop of a latency probe: one I/O in flight, started at a fixed rate. What falls due
// while an I/O is in flight goes out back to back after it. Latency counts from the intended start,
// so a stall shows as all the slow I/Os that it would have caused, not as one. There is no warm-up.
//
// At the end the I/O in flight is awaited, and every start that was due and did not take place
// enters the histogram with the time from it to the end: `latency.count()` may exceed `ios`, which
// are the completed ones. Limits, the final fdatasync and errors are as in run_capacity().
Result<Measurement> run_latency(IoQueue& queue, BufferPool& buffers, const Workload& workload,
                                const RunContext& context);

}  // namespace storage_probe::engine
