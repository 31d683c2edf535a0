// SPDX-License-Identifier: Apache-2.0
// An operator's brake: a file per held target in a directory that any script can write to, or one
// named "all". An empty file holds until it is removed; lines may say until when and why.
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

  bool operator==(const Hold&) const = default;
};

inline constexpr const char* kHoldAll = "all";

// The holds in `directory` that are in force at `now`, by target or kHoldAll. A directory that is
// not there holds nothing; a file that cannot be read holds, for somebody has put it there.
std::map<std::string, Hold> read_holds(const std::filesystem::path& directory, WallTime now);
const Hold* find_hold(const std::map<std::string, Hold>& holds, const std::string& target);

// For the commands `hold` and `release`. Errc::not_found: it was not held.
Result<void> write_hold(const std::filesystem::path& directory, const std::string& target,
                        const Hold& hold);
Result<void> remove_hold(const std::filesystem::path& directory, const std::string& target);

}  // namespace storage_probe::service
