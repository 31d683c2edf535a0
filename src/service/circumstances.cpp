// SPDX-License-Identifier: Apache-2.0
#include "service/circumstances.h"

#include <utility>

#include "targets/mountinfo.h"
#include "targets/resolve.h"

namespace storage_probe::service {

Circumstances::Circumstances(std::filesystem::path procfs, std::filesystem::path sysfs)
    : procfs_(std::move(procfs)), sysfs_(std::move(sysfs)) {}

void Circumstances::forget_devices(const std::string& target) { devices_.erase(target); }

void Circumstances::forget(const std::string& target) {
  forget_devices(target);
  needs_layout_.erase(target);
}

void Circumstances::learn_devices(const config::Config& config) {
  const auto mounts = targets::read_mountinfo(procfs_);
  if (!mounts) return;
  for (const Target& target : config.targets) {
    if (devices_.contains(target.name) || target.path.empty()) continue;
    const auto* mount = targets::find_by_path(*mounts, target.path);
    if (mount == nullptr) continue;
    devices_[target.name] = targets::leaf_numbers(targets::resolve(*mount, *mounts, sysfs_));
  }
}

void Circumstances::note_identity(const std::string& target, const MountIdentity& identity) {
  auto leaves = targets::leaf_numbers(identity);
  if (!leaves.empty()) devices_[target] = std::move(leaves);
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
  return facts;
}

}  // namespace storage_probe::service
