// SPDX-License-Identifier: Apache-2.0
#include "service/circumstances.h"

#include <utility>

#include "targets/mountinfo.h"
#include "targets/resolve.h"

namespace storage_probe::service {

Circumstances::Circumstances(std::filesystem::path procfs, std::filesystem::path sysfs)
    : procfs_(std::move(procfs)), sysfs_(std::move(sysfs)), activity_({procfs_, sysfs_}) {}

void Circumstances::forget_devices(const std::string& target) {
  devices_.erase(target);
  activity_.forget(target);
}

void Circumstances::forget(const std::string& target) {
  forget_devices(target);
  needs_layout_.erase(target);
}

void Circumstances::learn_devices(const config::Config& config) {
  activity_.set_instance(config.instance);
  const auto mounts = targets::read_mountinfo(procfs_);
  if (!mounts) return;
  for (const Target& target : config.targets) {
    if (devices_.contains(target.name) || target.path.empty()) continue;
    const auto* mount = targets::find_by_path(*mounts, target.path);
    if (mount == nullptr) continue;
    const MountIdentity identity = targets::resolve(*mount, *mounts, sysfs_);
    devices_[target.name] = targets::leaf_numbers(identity);
    activity_.watch(target, identity);
  }
}

// A run that failed before it knew what it was on has nothing to tell.
void Circumstances::note_identity(const Target& target, const MountIdentity& identity) {
  if (identity == MountIdentity{}) return;
  activity_.watch(target, identity);
  auto leaves = targets::leaf_numbers(identity);
  if (!leaves.empty()) devices_[target.name] = std::move(leaves);
}

void Circumstances::note_probe_file(const Target& target, Bytes file_bytes) {
  const bool is_ours = target.file.mode == ProbeFileSpec::Mode::managed && target.device.empty();
  if (is_ours && file_bytes.value == 0) {
    needs_layout_.insert(target.name);
  } else {
    needs_layout_.erase(target.name);
  }
}

schedule::Facts Circumstances::facts(SteadyTime now) const {
  schedule::Facts facts;
  facts.now = now;
  facts.devices = devices_;
  facts.stuck = stuck_;
  facts.needs_layout = needs_layout_;
  facts.busy = activity_.busy(now);
  facts.undecided = activity_.undecided();
  return facts;
}

}  // namespace storage_probe::service
