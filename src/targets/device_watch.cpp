// SPDX-License-Identifier: Apache-2.0
#include "targets/device_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "targets/mountstats.h"

namespace storage_probe::targets {
namespace {

// The devices that the file system itself is on: what is no leaf, and the leaves below none of
// those.
std::vector<Device> tops_of(const std::vector<Device>& devices,
                            const std::filesystem::path& sysfs) {
  std::vector<Device> tops;
  std::set<std::string> below;
  for (const Device& device : devices) {
    if (device.leaf) continue;
    tops.push_back(device);
    for (const auto& leaf : find_leaves(sysfs, device.number)) below.insert(leaf.number);
  }
  // Of a stack that cannot be looked into all leaves are taken for its own.
  if (!tops.empty() && below.empty()) return tops;
  for (const Device& device : devices) {
    if (device.leaf && !below.contains(device.number)) tops.push_back(device);
  }
  return tops;
}

std::vector<Device> watched_devices(const std::vector<Device>& devices,
                                    const std::filesystem::path& sysfs) {
  const auto is_leaf = [](const Device& device) { return device.leaf; };
  if (std::count_if(devices.begin(), devices.end(), is_leaf) == 1) {
    return {*std::find_if(devices.begin(), devices.end(), is_leaf)};
  }
  return tops_of(devices, sysfs);
}

void add(DeviceCounters& sum, const DeviceCounters& other) {
  sum.reads += other.reads;
  sum.writes += other.writes;
  sum.bytes_read += other.bytes_read;
  sum.bytes_written += other.bytes_written;
  sum.in_flight += other.in_flight;
  sum.queue_time += other.queue_time;
  sum.discards += other.discards;
}

// The md devices under those of a mount, and among them.
std::vector<BlockDevice> find_arrays(const std::vector<Device>& devices,
                                     const std::filesystem::path& sysfs) {
  std::vector<BlockDevice> arrays;
  for (const Device& device : devices) {
    if (device.leaf) continue;
    for (BlockDevice& each : find_stack(sysfs, device.number)) {
      const auto is_same = [&](const BlockDevice& other) { return other.number == each.number; };
      if (md_action(sysfs, each.number).empty()) continue;
      if (std::none_of(arrays.begin(), arrays.end(), is_same)) arrays.push_back(std::move(each));
    }
  }
  return arrays;
}

}  // namespace

Usage counted_between(const CounterSample& before, const CounterSample& after) {
  const auto& was = before.counters;
  const auto& is = after.counters;
  return {after.at - before.at,
          (is.bytes_read - was.bytes_read) + (is.bytes_written - was.bytes_written),
          (is.reads - was.reads) + (is.writes - was.writes)};
}

DeviceWatch::DeviceWatch(const MountIdentity& identity, Roots roots) : roots_(std::move(roots)) {
  if (identity.fs_type == "nfs" || identity.fs_type == "nfs4") {
    nfs_mountpoint_ = identity.mountpoint;
    name_ = identity.source;
    return;
  }
  for (const Device& device : watched_devices(identity.devices, roots_.sysfs)) {
    name_ += (name_.empty() ? "" : "+") + device.name;
    numbers_.push_back(device.number);
  }
  arrays_ = find_arrays(identity.devices, roots_.sysfs);
}

std::optional<DeviceCounters> DeviceWatch::read() const {
  if (!nfs_mountpoint_.empty()) return read_mountstats(roots_.procfs, nfs_mountpoint_);
  if (numbers_.empty()) return std::nullopt;
  DeviceCounters sum;
  for (const std::string& number : numbers_) {
    const auto counters = read_counters(roots_.sysfs, number);
    if (!counters) return std::nullopt;
    add(sum, *counters);
  }
  return sum;
}

std::string DeviceWatch::maintenance() const {
  for (const BlockDevice& array : arrays_) {
    const std::string action = md_action(roots_.sysfs, array.number);
    if (!action.empty() && action != "idle" && action != "frozen") {
      return array.name + " is at work by itself (" + action + ")";
    }
  }
  return {};
}

}  // namespace storage_probe::targets
