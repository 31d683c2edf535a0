// SPDX-License-Identifier: Apache-2.0
#include "service/memory_lock.h"

#include <link.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace storage_probe::service {
namespace {

bool may_lock_without_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> held{};
  // There is no function for it in the C library.
  if (::syscall(SYS_capget, &header, held.data()) != 0) return false;
  return (held[0].effective & (1U << CAP_IPC_LOCK)) != 0;
}

// The segments of the first object of the list, which is the program. `failed` is an int: an errno.
int lock_program(dl_phdr_info* object, std::size_t /*size*/, void* failed) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
    const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers.
    if (::mlock(reinterpret_cast<const void*>(begin), end - begin) != 0) {
      *static_cast<int*>(failed) = errno;
      break;
    }
  }
  return 1;  // no further objects
}

}  // namespace

Result<LockedMemory> lock_memory() {
  // First, because it loads what has not run yet: what a hang calls for has never been needed.
  int failed = 0;
  ::dl_iterate_phdr(&lock_program, &failed);
  if (failed != 0) return Unexpected(system_error(failed).in("lock the program in memory"));
  // Under a limit, memory that is mapped later would count against it and be refused.
  if (!may_lock_without_limit()) return LockedMemory::program;
  if (::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0) return LockedMemory::program;
  return LockedMemory::all;
}

}  // namespace storage_probe::service
