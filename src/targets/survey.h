// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/target.h"
#include "targets/resolve.h"

namespace storage_probe::targets {

// The mounts of this host that a probe could be about, each with what is under it, and the others,
// each with why not. Both in the order of the mount table.
struct Survey {
  struct LeftOut {
    std::string mountpoint, fs_type, source, why;

    bool operator==(const LeftOut&) const = default;
  };
  std::vector<MountIdentity> mounts;  // one for each file system
  std::vector<LeftOut> left_out;
};

// Reads the mount table, sysfs and what efs-utils keeps; no path of a mount is touched.
Result<Survey> survey(const std::filesystem::path& procfs, const Roots& roots);

}  // namespace storage_probe::targets
