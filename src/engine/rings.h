// SPDX-License-Identifier: Apache-2.0
// One thread with one ring submits what one processor can, which fast local disks exceed. So a run
// may have several rings, a thread and a part of the file each.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "engine/buffer_pool.h"
#include "engine/open_queue.h"
#include "engine/run.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

struct RingOptions {
  // Opens the queue of a ring. Called on the thread that will use it, by all rings at once.
  std::function<Result<OpenedQueue>(unsigned depth, BufferPool& buffers)> open;
  unsigned most = 1;   // rings of a run whose number is automatic
  double busy = 0.85;  // of a processor: what a ring uses that is the limit itself
};

struct RingsRun {
  Measurement measured;
  Engine engine = Engine::threads;
  std::string note;  // of OpenedQueue
};

// At most how many rings a run starts of itself: as many as half of the processors that this
// process may use, so that the kernel's side of the I/O and the host's own work keep theirs, and
// at most 8.
unsigned most_automatic_rings();

// run_capacity() on the number of rings that the spec asks for, but never more than its depth or
// its blocks allow, each with its share of the depth, the limits and the file. With an automatic
// number it starts with one; if that is busy while warming up, it starts anew with twice as many,
// within what is left of the limits. The first ring that meets a limit ends the run for all. The
// measurement adds the rings up, and what the abandoned starts used; its latencies are all of them,
// its processor time that of the whole process. Errc::exhausted is only said where nothing has
// begun: a thread could not start, or options.open said so.
Result<RingsRun> run_on_rings(const Workload& workload, const RingOptions& options,
                              const RunContext& context);

}  // namespace storage_probe::engine
