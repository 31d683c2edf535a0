// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "engine/run.h"
#include "engine/run_clock.h"
#include "engine/transfers.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

// What a run ran on, for what follows it. The members must outlive whoever holds it.
struct RunParts {
  IoQueue& queue;
  BufferPool& buffers;
  const Workload& workload;
  const RunContext& context;
  RunClock& clock;
};

// Reads back what `written`, all of whose writes have ended and been synced, has written last to
// each block: each block once, in the order of the file, at the spec's depth; nothing unless the
// spec says so. The spec's limits are there for it once more, and what they do not reach is left
// unread. The findings are the measurement's `verification`; what it took is part of `used`,
// retries and errors. Its latencies are nobody's.
Result<void> read_back(const RunParts& run, const Transfers& written, Measurement& measurement);

}  // namespace storage_probe::engine
