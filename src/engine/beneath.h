// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/unique_fd.h"

namespace storage_probe::engine {

// openat(2) for a relative path that stays below `directory` and on its mount, with no symbolic
// link in it. Empty with errno set, as open does: ELOOP for a link, EXDEV for what leads out.
// Before Linux 5.6 the path is walked here and another mount in it is not noticed.
UniqueFd open_beneath(int directory, const std::string& path, int flags, mode_t mode = 0);

}  // namespace storage_probe::engine
