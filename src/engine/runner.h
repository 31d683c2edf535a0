// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "engine/run.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

// The closed loop of a capacity probe: keeps the spec's queue depth in flight until a limit is met,
// awaits what is in flight, and ends writes with one fdatasync.
//
// Limits hold where I/Os are submitted, warm-up included: no request goes out that they do not pay
// for, the rest of a short I/O, a retry and an fsync being requests too. Warm-up ends at the
// earliest of max(0.25 s, 10 % of the time limit; at most half of it) and a fifth of the limit of
// I/Os or bytes. What completes in the window after it is measured, and the last fdatasync. The
// window ends at the time limit, from half a second on at a whole number of 100 ms, or, if the
// other limits come first, with the last completion. Errors, retries and short I/Os are counted
// over the whole run. It gives up, stopped by `certain`, when at least 100 I/Os fail one after the
// other (Transfers::is_hopeless).
//
// The rate of the window is profiled in sub-windows (rate_profile.h). A spec that stops early ends
// the run as `certain` once more of the same would tell nothing new (RateWindows::is_certain).
//
// It ends as `busy`, without reading back, when its context says that it must
// (RunContext::must_end).
//
// An I/O that fails is a count in the measurement. An Error means that the queue itself failed or
// that the workload makes no sense (Errc::invalid).
Result<Measurement> run_capacity(IoQueue& queue, BufferPool& buffers, const Workload& workload,
                                 const RunContext& context);

}  // namespace storage_probe::engine
