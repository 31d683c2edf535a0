// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace storage_probe::worker {

// The flock of a target, `<directory>/<target>.lock`; the directory is made if it is missing. Who
// holds the descriptor, or a copy of it, holds the lock; the kernel releases it with the last one,
// so a lock outlives its daemon exactly as long as a child of it lives. Errc::busy: another holds
// it. The file stays: removing it would let two processes lock two files of one name.
Result<UniqueFd> lock_target(const std::filesystem::path& directory, const std::string& target);

// Whether somebody holds it. Makes nothing; a lock that nobody ever took is free.
Result<bool> is_locked(const std::filesystem::path& directory, const std::string& target);

}  // namespace storage_probe::worker
