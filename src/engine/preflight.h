// SPDX-License-Identifier: Apache-2.0
// What must be true of a target before anything of ours is done there. The steps are types: only
// check_mount() makes the CheckedDirectory that every function that creates or opens a file wants,
// so that no byte can be written to a path that is not the expected mount.
//
//   open_target -> (the caller looks the mount id up in the mount table) -> check_mount
//     -> ProbeFile::find -> lay_out when there is none
//
// Runs in the child process: each call may hang with the target.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "base/units.h"
#include "engine/checked.h"
#include "model/target.h"

namespace storage_probe::engine {

// A target's directory, opened (O_PATH) and not looked into yet.
struct TargetDirectory {
  UniqueFd fd;
  std::filesystem::path path;
  std::optional<std::uint64_t> mount_id;  // as in mountinfo; empty before Linux 5.8
  std::string device;                     // its block device, "259:3"; empty when it has none
  std::optional<bool> is_mount_root;      // empty before Linux 5.8: compare paths instead
};

// Fails with not_mounted (missing, no directory, or itself a symbolic link), permission_denied or
// io_error.
Checked<TargetDirectory> open_target(const std::filesystem::path& path);

// What the caller found in /proc and /sys for a TargetDirectory; nothing of it is read here.
struct MountFacts {
  MountIdentity identity;
  std::string not_a_disk;  // why it is none ("overlay on tmpfs"); empty for a disk
  bool is_network = false;
  Bytes logical_block_size{512};  // of the leaf devices, the largest
};

// A directory on the mount that its target expects. Made by check_mount() only.
class CheckedDirectory {
 public:
  int fd() const { return directory_.fd.get(); }  // O_PATH
  const std::filesystem::path& path() const { return directory_.path; }
  const MountFacts& mount() const { return mount_; }

 private:
  friend Checked<CheckedDirectory> check_mount(TargetDirectory directory, const Target& target,
                                               MountFacts mount);
  CheckedDirectory(TargetDirectory directory, MountFacts mount)
      : directory_(std::move(directory)), mount_(std::move(mount)) {}

  TargetDirectory directory_;
  MountFacts mount_;
};

// Fails with not_mounted (neither a mount point nor `expect`), wrong_mount (not what `expect`
// says) or not_a_disk. A target of any_directory is held to the last only.
Checked<CheckedDirectory> check_mount(TargetDirectory directory, const Target& target,
                                      MountFacts mount);

// data_directory: a database lists its files here. For managed files only; an explicit
// file.directory overrides it. Looks up names, never lists the directory.
std::optional<Failure> check_data_directory(const CheckedDirectory& directory,
                                            const ProbeFileSpec& spec);

// read_only, for runs that must write: layout and write probes.
std::optional<Failure> check_writable(const CheckedDirectory& directory);

}  // namespace storage_probe::engine
