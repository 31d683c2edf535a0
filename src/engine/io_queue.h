// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// One I/O. `slot` is the number of its buffer in the queue's BufferPool (an fsync has none) and
// comes back in the Completion; a slot has at most one request in flight.
struct Request {
  Operation operation = Operation::read;
  std::uint32_t slot = 0;
  std::uint32_t length = 0;         // bytes
  std::uint32_t buffer_offset = 0;  // into the slot's buffer: above 0 for the rest of a short I/O
  std::uint64_t offset = 0;         // into the file
};

struct Completion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;  // bytes, or a negative errno
};

// The seam under the runner and the pacer: UringQueue and ThreadQueue in the program, FakeQueue in
// tests. One thread uses a queue; it owns nothing but its kernel objects and threads. The file and
// the buffers must outlive it. Destruction waits for nothing that the kernel still holds.
class IoQueue {
 public:
  virtual ~IoQueue() = default;

  // Submits `batch` and reaps what has completed, waiting until at least `wait_for` completions are
  // there or `timeout` has passed (then there may be fewer, also none). One virtual call and, with
  // io_uring, one system call a batch. The span is valid until the next call. An error means that
  // the queue itself failed and must not be used again; a failed I/O is a Completion.
  virtual Result<std::span<const Completion>> exchange(std::span<const Request> batch,
                                                       unsigned wait_for, Duration timeout) = 0;
};

}  // namespace storage_probe::engine
