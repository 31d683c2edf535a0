// SPDX-License-Identifier: Apache-2.0
// An operator's brake: a file per held target in a directory that any script can write to, or one
// named "all". An empty file holds until it is removed; its lines may say until when ("until=",
// seconds since the epoch) and why ("reason=").
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe::service {

struct Hold {
  std::optional<WallTime> until;  // empty: until it is released
  std::string reason;
  std::string id = {};  // of the command that wrote it, which waits for an answer to it

  bool operator==(const Hold&) const = default;
};
using Holds = std::map<std::string, Hold>;  // by target, or kHoldAll

inline constexpr const char* kHoldAll = "all";

// The holds in `directory` that are in force at `now`. A directory that is not there holds nothing.
// What cannot be read holds, for somebody has put it there: a file its target, the directory all.
Holds read_holds(const std::filesystem::path& directory, WallTime now);
// What holds the target, itself or with all others; null when nothing does.
const Hold* find_hold(const Holds& holds, const std::string& target);

// "until 2026-12-01 03:12 UTC: kernel update", "until it is released".
std::string describe(const Hold& hold);
std::string utc_text(WallTime time);

// For the commands `hold` and `release`: whoever runs them, everybody may read what they write.
// Errc::not_found: it was not held.
Result<void> write_hold(const std::filesystem::path& directory, const std::string& target,
                        const Hold& hold);
Result<void> remove_hold(const std::filesystem::path& directory, const std::string& target);

}  // namespace storage_probe::service
