// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/checked.h"
#include "engine/preflight.h"

namespace storage_probe::worker {

// Looks an opened directory up in the mount table of this process and in sysfs. Fails with
// namespace_mismatch when its mount is not in that table, or the table cannot be read.
engine::Checked<engine::MountFacts> find_mount_facts(const engine::TargetDirectory& directory,
                                                     const std::filesystem::path& procfs,
                                                     const std::filesystem::path& sysfs);

}  // namespace storage_probe::worker
