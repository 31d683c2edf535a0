// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/terms.h"

namespace storage_probe::service {

// All promises files as one book. The first flaw refuses them all, naming the file: half of what is
// promised would judge half of the volumes. A volume that two files speak of is such a flaw. Waits
// for the disk.
Result<PromiseBook> read_promise_files(const std::vector<std::filesystem::path>& files);

}  // namespace storage_probe::service
