// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/io_queue.h"
#include "engine/open_queue.h"

namespace storage_probe::engine {

// A pool of threads in pread(2), pwrite(2) and fdatasync(2), for where io_uring is refused: as many
// as the depth, at most 256; what is beyond waits for a thread.
//
// The threads are detached and share what they need (the requests, the buffers' mapping, their own
// descriptor of the file) with the queue. So the queue may be destroyed while one of them is stuck
// in a system call: it lasts until the call returns or the process ends by _exit(2), and touches
// nothing that has been given to somebody else.
Result<std::unique_ptr<IoQueue>> open_thread_queue(const QueueOptions& options);

}  // namespace storage_probe::engine
