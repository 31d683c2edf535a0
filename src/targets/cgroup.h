// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "model/promise.h"

namespace storage_probe::targets {

// What the control groups of this process let it do on any of these devices ("259:3"), the least of
// all; `from` names the group that has the least, "none" where nothing is limited. Of version 2
// (io.max) each group above counts as well, of version 1 (blkio.throttle.*) only our own: a limit
// of its parent does not bind a group there. Reads PROCFS/self/cgroup and SYSFS/fs/cgroup.
Promise cgroup_limit(const std::filesystem::path& procfs, const std::filesystem::path& sysfs,
                     std::span<const std::string> devices);

}  // namespace storage_probe::targets
