// SPDX-License-Identifier: Apache-2.0
// The mount table as /proc/self/mountinfo prints it. Everything here is lexical: no path of a mount
// is ever opened or followed, so a mount that hangs hangs nobody.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace storage_probe::targets {

struct Mount {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::string device;  // st_dev as "major:minor"; major 0 is anonymous
  std::string root;    // the directory of the file system that is mounted here
  std::string mountpoint;
  std::string options;  // of this mount: "rw,relatime"
  std::string fs_type;
  std::string source;         // "none" and the like are kept as the kernel says them
  std::string super_options;  // of the file system: "rw,upperdir=/u"; escaped, see find_option

  bool operator==(const Mount&) const = default;
};

// Without the \ooo that the kernel writes for space, tab, newline and backslash (and '#' in a
// source) in its tables of mounts.
std::string unescape(std::string_view text);

// Octal escapes undone, optional fields skipped; a line that does not parse is left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

// PROCFS/self/mountinfo of this process.
Result<std::vector<Mount>> read_mountinfo(const std::filesystem::path& procfs);

// The mount that `path` (absolute) lies on by its text: the longest mount point that is a prefix of
// it by whole components, and of mounts stacked on one point the last. Null when there is none. The
// result points into `mounts`.
const Mount* find_by_path(std::span<const Mount> mounts, const std::filesystem::path& path);
const Mount* find_by_id(std::span<const Mount> mounts, std::uint64_t mount_id);

// The value of `key` in one of a Mount's option lists; empty where it is absent or has no value.
std::string find_option(std::string_view options, std::string_view key);

}  // namespace storage_probe::targets
