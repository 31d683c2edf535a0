// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace storage_probe::service {

// Puts the running program's code and constants on memory of its own, where they no longer come
// from its file. Locking is not enough for that: a FUSE file system that does not ask the kernel to
// keep its cache (FOPEN_KEEP_CACHE) drops a file's pages, mapped and locked ones too, whenever the
// file is opened, and each start of a worker opens it. Costs as much memory as the program is long.
// Any thread, once, before the memory is locked. A failure leaves what it has not copied in use.
Result<void> copy_program();

}  // namespace storage_probe::service
