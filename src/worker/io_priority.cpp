// SPDX-License-Identifier: Apache-2.0
#include "worker/io_priority.h"

#include <linux/ioprio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace storage_probe::worker {
namespace {

constexpr int kLowestLevel = static_cast<int>(IOPRIO_NR_LEVELS) - 1;

Result<void> set(int io_class, int level) {
  // 0: the calling thread. There is no function for it in the C library.
  const int value = IOPRIO_PRIO_VALUE(io_class, level);
  if (::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, value) != 0) {
    return Unexpected(system_error(errno).in("ioprio_set"));
  }
  return {};
}

}  // namespace

Result<void> set_io_priority(IoPriority priority) {
  switch (priority) {
    case IoPriority::inherited:
      return {};
    case IoPriority::best_effort:
      return set(IOPRIO_CLASS_BE, kLowestLevel);
    case IoPriority::idle:
      return set(IOPRIO_CLASS_IDLE, 0);
  }
  return {};
}

}  // namespace storage_probe::worker
