// SPDX-License-Identifier: Apache-2.0
#include "service/circumstances.h"

#include <ctime>
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

std::map<std::string, MountIdentity> Circumstances::learn_devices(const config::Config& config) {
  std::map<std::string, MountIdentity> identities;
  activity_.set_instance(config.instance);
  const auto mounts = targets::read_mountinfo(procfs_);
  if (!mounts) return identities;
  for (const Target& target : config.targets) {
    if (devices_.contains(target.name) || target.path.empty()) continue;
    const auto* mount = targets::find_by_path(*mounts, target.path);
    if (mount == nullptr) continue;
    auto identity = targets::resolve(*mount, *mounts, {sysfs_});
    devices_[target.name] = targets::leaf_numbers(identity);
    activity_.watch(target, identity);
    identities.emplace(target.name, std::move(identity));
  }
  return identities;
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

void Circumstances::set_time_of_day(const Windows& windows, std::chrono::minutes time) {
  quiet_ = schedule::closed_to_all(windows, time);
  no_capacity_ = schedule::closed_to_capacity(windows, time);
}

schedule::Facts Circumstances::facts(SteadyTime now) const {
  schedule::Facts facts;
  facts.now = now;
  facts.devices = devices_;
  facts.stuck = stuck_;
  facts.needs_layout = needs_layout_;
  facts.busy = activity_.busy(now);
  facts.undecided = activity_.undecided();
  facts.held = held_;
  if (quiet_) {
    facts.quiet = quiet_->why;
    facts.quiet_ends = {quiet_->opens_in, quiet_->stays_open};
  }
  if (no_capacity_) {
    facts.no_capacity = no_capacity_->why;
    facts.capacity_opens = {no_capacity_->opens_in, no_capacity_->stays_open};
  }
  return facts;
}

// localtime_r reads the zone's file at its first call only: no disk is waited for later.
std::chrono::minutes time_of_day(WallTime now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return {};
  return std::chrono::hours(parts.tm_hour) + std::chrono::minutes(parts.tm_min);
}

}  // namespace storage_probe::service
