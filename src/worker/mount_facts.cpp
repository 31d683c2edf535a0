// SPDX-License-Identifier: Apache-2.0
#include "worker/mount_facts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "targets/mountinfo.h"
#include "targets/resolve.h"
#include "targets/sysfs.h"

namespace storage_probe::worker {
namespace {

Bytes largest_logical_block(const MountIdentity& identity, const std::filesystem::path& sysfs) {
  Bytes largest{512};
  for (const std::string& number : targets::leaf_numbers(identity)) {
    if (const auto device = targets::find_block_device(sysfs, number)) {
      largest = std::max(largest, device->logical_block_size);
    }
  }
  return largest;
}

// What the device alone tells. A file system on a block device is on a disk.
std::optional<engine::MountFacts> facts_of_device(const engine::TargetDirectory& directory,
                                                  const std::filesystem::path& sysfs) {
  if (directory.device.empty() || !targets::find_block_device(sysfs, directory.device)) {
    return std::nullopt;
  }
  engine::MountFacts facts;
  facts.identity = targets::resolve_device(directory.device, {}, sysfs);
  facts.identity.source = "/dev/" + facts.identity.device;
  facts.logical_block_size = largest_logical_block(facts.identity, sysfs);
  return facts;
}

}  // namespace

engine::Checked<engine::MountFacts> find_mount_facts(const engine::TargetDirectory& directory,
                                                     const Target& target,
                                                     const std::filesystem::path& procfs,
                                                     const std::filesystem::path& sysfs) {
  const auto mounts = targets::read_mountinfo(procfs);
  if (!mounts) return engine::fail(TargetState::namespace_mismatch, mounts.error().message);
  const targets::Mount* mount = directory.mount_id
                                    ? targets::find_by_id(*mounts, *directory.mount_id)
                                    : targets::find_by_path(*mounts, directory.path);
  if (mount == nullptr) {
    if (target.any_directory) {
      if (auto facts = facts_of_device(directory, sysfs)) return *std::move(facts);
    }
    return engine::fail(TargetState::namespace_mismatch,
                        directory.path.string() + " is on a mount that " + procfs.string() +
                            "/self/mountinfo does not list");
  }
  engine::MountFacts facts;
  facts.identity = targets::resolve(*mount, *mounts, {sysfs});
  facts.not_a_disk = targets::why_not_a_disk(*mount, *mounts);
  facts.is_network = targets::is_network(mount->fs_type);
  facts.logical_block_size = largest_logical_block(facts.identity, sysfs);
  return facts;
}

}  // namespace storage_probe::worker
