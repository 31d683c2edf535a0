// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

namespace storage_probe::service {

enum class LockedMemory {
  program,  // our own code and data, all of it
  all,      // also what libraries, heap and stacks have touched, or will
};

// Keeps pages of this process in memory, so that what has run once needs no disk to run again: code
// is dropped when memory is short and read anew from a volume that may hang. Takes what the limit
// (RLIMIT_MEMLOCK) allows, at next to no cost in memory, for a page that nobody touches is not
// loaded. Holds for all threads until the process ends; a child inherits nothing of it.
Result<LockedMemory> lock_memory();

}  // namespace storage_probe::service
