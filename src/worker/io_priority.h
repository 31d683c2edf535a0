// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "model/target.h"

namespace storage_probe::worker {

// Ranks the I/O of the calling thread, and of threads that it starts afterwards. Only the I/O
// schedulers bfq and mq-deadline heed it. Never asks for more than others have: best_effort is the
// last of its class.
Result<void> set_io_priority(IoPriority priority);

}  // namespace storage_probe::worker
