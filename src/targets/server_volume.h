// SPDX-License-Identifier: Apache-2.0
// Which file system of a provider a network mount is, by the name it was mounted from.
#pragma once

#include <filesystem>
#include <string>

#include "targets/mountinfo.h"
#include "targets/volume.h"

namespace storage_probe::targets {

// "server" of "server:/export", "[fe80::1]:/export", "//server/share". A tunnel on this host
// (efs-utils) stands for another server at each port: "127.0.0.1:20407".
std::string server_of(const Mount& mount);

// EFS, S3 Files and FSx by the names of their servers; behind a tunnel of efs-utils by the state
// that it keeps in `run`/efs, where that can be read. Nothing else is recognised. How an EFS is
// paid for is not visible.
VolumeFacts server_volume(const Mount& mount, const std::filesystem::path& run);

}  // namespace storage_probe::targets
