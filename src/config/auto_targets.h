// SPDX-License-Identifier: Apache-2.0
// Targets that rules make of mounts. Pure: the mount table comes in, targets come out; the same
// mounts always give the same targets.
#pragma once

#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "model/target.h"

namespace storage_probe::config {

// What a rule's `name` may hold.
inline constexpr std::array<std::string_view, 4> kPlaceholders{"{basename}", "{mountpoint}",
                                                               "{volume_id}", "{device}"};

// The configuration with a target for each of `mounts` that a rule matches, the first rule that
// does. `mounts` are disks and servers (targets::survey): what is none of them must not be there.
// What a target of the configuration is on already is left to it; of several mounts of one device
// the first by its path is taken; there are at most 256 targets in all. Of two targets with one
// name the latter gets a suffix that depends on its own mount point only.
Config expand(const Config& config, std::span<const MountIdentity> mounts);

// `pattern` for a mount: a valid name, whatever the mount is called.
std::string target_name(std::string_view pattern, const MountIdentity& mount);

// `name`, or where `taken` has it, the same with a suffix that follows from `mountpoint`.
std::string unique_name(const std::string& name, const std::string& mountpoint,
                        const std::set<std::string>& taken);

}  // namespace storage_probe::config
