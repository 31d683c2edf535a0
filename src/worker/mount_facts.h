// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/checked.h"
#include "engine/preflight.h"
#include "model/target.h"

namespace storage_probe::worker {

// Looks an opened directory up in the mount table of this process and in sysfs. Fails with
// namespace_mismatch when its mount is not in that table, or the table cannot be read. A target of
// any_directory will do with a known device in place of the mount: below chroot(2) the table does
// not list what / is on.
engine::Checked<engine::MountFacts> find_mount_facts(const engine::TargetDirectory& directory,
                                                     const Target& target,
                                                     const std::filesystem::path& procfs,
                                                     const std::filesystem::path& sysfs);

}  // namespace storage_probe::worker
