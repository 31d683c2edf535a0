// SPDX-License-Identifier: Apache-2.0
// What a worker gives up, for it handles a path and a device that it does not trust. Each step
// takes what the kernel offers; what the kernel refuses is missing protection, not a failed probe.
// Nothing is ever given back.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe::worker {

// How much a run may take before the kernel ends it.
struct ProcessLimits {
  Duration cpu_time{};
  Bytes file_size;  // beyond it a write fails with EFBIG
};

// No new privileges, no core file, few descriptors, and the limits.
Result<void> limit_process(const ProcessLimits& limits);

// Landlock: from here on files are opened, made and removed only beneath the directory that
// `writable` is a descriptor of (O_PATH will do; -1: nowhere), and read only beneath it and beneath
// `readable`, of which what does not exist is left out. Errc::not_found: this kernel has no
// Landlock, or it is off.
Result<void> restrict_files(int writable, const std::vector<std::filesystem::path>& readable);

// Seccomp, for all threads: no sockets, programs, tracing, mounts, namespaces. The calls fail with
// EPERM.
Result<void> restrict_system_calls();
// For the calling thread, once its queue is open: no further ring, for what a ring does no filter
// sees.
Result<void> refuse_further_rings();

}  // namespace storage_probe::worker
