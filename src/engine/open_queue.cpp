// SPDX-License-Identifier: Apache-2.0
#include "engine/open_queue.h"

#include <utility>

#include "engine/thread_queue.h"
#include "engine/uring_queue.h"

namespace storage_probe::engine {
namespace {

Result<OpenedQueue> open_threads(const QueueOptions& options, std::string note) {
  auto queue = open_thread_queue(options);
  if (!queue) return Unexpected(queue.error());
  return OpenedQueue{*std::move(queue), Engine::threads, std::move(note)};
}

Result<OpenedQueue> open_uring(const QueueOptions& options) {
  auto queue = open_uring_queue(options);
  if (!queue) return Unexpected(queue.error());
  return OpenedQueue{*std::move(queue), Engine::io_uring, ""};
}

Result<OpenedQueue> open_any(const QueueOptions& options) {
  auto uring = open_uring(options);
  if (uring) return uring;
  auto threads = open_threads(options, uring.error().message);
  if (!threads)
    return Unexpected(threads.error().in("no io_uring (" + uring.error().message + ")"));
  return threads;
}

}  // namespace

Result<OpenedQueue> open_queue(Engine wanted, const QueueOptions& options) {
  if (options.depth == 0 || options.depth > options.buffers.slots()) {
    return Unexpected({Errc::invalid, "queue depth " + std::to_string(options.depth) +
                                          ": there are " + std::to_string(options.buffers.slots()) +
                                          " buffers"});
  }
  switch (wanted) {
    case Engine::automatic:
      return open_any(options);
    case Engine::io_uring:
      return open_uring(options);
    case Engine::threads:
      return open_threads(options, "");
  }
  return Unexpected({Errc::invalid, "unknown engine"});
}

}  // namespace storage_probe::engine
