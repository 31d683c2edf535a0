// SPDX-License-Identifier: Apache-2.0
// What a worker gives up: it handles a path and a device that it does not trust. Each step takes
// what the kernel offers; what it refuses is missing protection, not a failed probe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe::worker {

// How much a run may need; the kernel ends what takes more.
struct ProcessLimits {
  Duration cpu_time{};
  Bytes file_size;
};

// no_new_privs and the resource limits: no core, few descriptors.
Result<void> limit_process(const ProcessLimits& limits);

// Landlock: from here on only what lies beneath `writable` can be opened, made or removed, and what
// lies beneath `readable` read. Errc::not_found: the kernel has none.
Result<void> restrict_files(const std::vector<std::filesystem::path>& writable,
                            const std::vector<std::filesystem::path>& readable);

// Seccomp: no sockets, programs, tracing, mounts or further rings. After the queue is open.
Result<void> restrict_system_calls();

}  // namespace storage_probe::worker
