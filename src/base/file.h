// SPDX-License-Identifier: Apache-2.0
// Small files of this program and of the kernel, whole. Never used on a path inside a target.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace storage_probe {

// The whole regular file, which must not be longer than `limit` bytes (Errc::exhausted if it is).
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);

// Replaces `path` by `text` or leaves it as it was: temporary file beside it, fsync, rename, fsync
// of the directory. Mode 0600.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view text);

}  // namespace storage_probe
