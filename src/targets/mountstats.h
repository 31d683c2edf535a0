// SPDX-License-Identifier: Apache-2.0
// What the NFS client has done for a mount, as /proc/self/mountstats tells: the stand-in for a
// device's counters where there is no device. Nothing of the mount itself is touched.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "targets/sysfs.h"

namespace storage_probe::targets {

// Of the NFS mount on `mountpoint` (of several on one point the last): READ and WRITE calls, and
// the bytes that servers have answered and taken, whatever was served from the page cache left out.
// The mounts of one export share them. Empty when there is no such NFS mount, or its figures are
// not to be understood.
std::optional<DeviceCounters> parse_mountstats(std::string_view text,
                                               const std::filesystem::path& mountpoint);

// From PROCFS/self/mountstats.
std::optional<DeviceCounters> read_mountstats(const std::filesystem::path& procfs,
                                              const std::filesystem::path& mountpoint);

}  // namespace storage_probe::targets
