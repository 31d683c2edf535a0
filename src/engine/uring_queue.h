// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/result.h"
#include "engine/io_queue.h"
#include "engine/open_queue.h"

namespace storage_probe::engine {

// A ring of io_uring that can do nothing but read, write and fsync (where the kernel can restrict
// it), with the file and the buffers registered where the kernel allows it. The thread that opens
// it is the one that uses it. Closing it with I/O in flight waits for nothing: the kernel has
// pinned the pages of direct I/O and holds the file, so neither is reused under it.
//
// The error of a set-up that failed names the call, the errno and what usually stands behind it.
Result<std::unique_ptr<IoQueue>> open_uring_queue(const QueueOptions& options);

}  // namespace storage_probe::engine
