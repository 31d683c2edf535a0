// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

struct QueueOptions {
  int fd = -1;          // the probe file, O_DIRECT; must outlive the queue
  unsigned depth = 1;   // most requests in flight
  BufferPool& buffers;  // at least `depth` slots; must outlive the queue
};

struct OpenedQueue {
  std::unique_ptr<IoQueue> queue;
  Engine engine = Engine::threads;  // the one that was opened, never automatic
  std::string note;  // why io_uring is not used; empty when it is or was not asked for
};

// Opens the engine that is wanted. Engine::automatic takes io_uring and, whatever stands against
// it, threads; the note then names the cause. Engine::io_uring fails instead.
Result<OpenedQueue> open_queue(Engine wanted, const QueueOptions& options);

}  // namespace storage_probe::engine
