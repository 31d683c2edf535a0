// SPDX-License-Identifier: Apache-2.0
// From a mount to the devices or the server behind it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/target.h"
#include "targets/mountinfo.h"

namespace storage_probe::targets {

// Where the kernel and other programs say what there is.
struct Roots {
  std::filesystem::path sysfs;
  std::filesystem::path run = "/run";  // the state of efs-utils
};

// What is mounted: names, the stack of devices under it, and which volume that is. `mounts` is the
// table that `mount` is from: an overlay is resolved through the mount of its upper directory. What
// is not known stays empty.
MountIdentity resolve(const Mount& mount, std::span<const Mount> mounts, const Roots& roots);

// The same for a target that is a block device, by its number ("259:3") and the path in the config.
MountIdentity resolve_device(std::string_view number, const std::filesystem::path& device,
                             const std::filesystem::path& sysfs);

// Numbers of the devices that do the I/O: two probes may run side by side when these do not
// intersect. Empty for network file systems and where nothing is known.
std::vector<std::string> leaf_numbers(const MountIdentity& identity);

// nfs*, smb, lustre, ceph, glusterfs and their FUSE clients: storage that other hosts share.
bool is_network(std::string_view fs_type);

// Whether other hosts mount a target too: as the operator says, else by the type of file system.
bool is_shared(const Target& target, std::string_view fs_type);

// tmpfs, proc, squashfs and whatever else keeps its data in memory, in an image or nowhere.
bool not_a_disk(std::string_view fs_type);

// Why a mount is no disk, for a message: "tmpfs", "overlay on tmpfs". Empty when it may be one.
std::string why_not_a_disk(const Mount& mount, std::span<const Mount> mounts);

}  // namespace storage_probe::targets
