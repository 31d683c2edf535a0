// SPDX-License-Identifier: Apache-2.0
#include "worker/device_watch.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "targets/mountstats.h"

namespace storage_probe::worker {
namespace {

constexpr std::chrono::seconds kWindow{1};
// Without a promise: more of others' I/Os in flight than a quiet device has.
constexpr Ops kBusyInFlight{4};

double value_of(Ops ops) { return static_cast<double>(ops.value); }
double value_of(Bytes bytes) { return static_cast<double>(bytes.value); }

// What of our I/O the device has seen; all of it where it has seen more.
double share_of(double counted, double ours) { return ours > counted ? counted / ours : 1; }

std::optional<double> times(std::optional<double> promise, double ratio) {
  if (!promise) return std::nullopt;
  return *promise * ratio;
}

// The devices that the file system itself is on: what is no leaf, and the leaves below none of
// those.
std::vector<Device> tops_of(const std::vector<Device>& devices,
                            const std::filesystem::path& sysfs) {
  std::vector<Device> tops;
  std::set<std::string> below;
  for (const Device& device : devices) {
    if (device.leaf) continue;
    tops.push_back(device);
    for (const auto& leaf : targets::find_leaves(sysfs, device.number)) below.insert(leaf.number);
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

void add(targets::DeviceCounters& sum, const targets::DeviceCounters& other) {
  sum.reads += other.reads;
  sum.writes += other.writes;
  sum.bytes_read += other.bytes_read;
  sum.bytes_written += other.bytes_written;
  sum.in_flight += other.in_flight;
}

}  // namespace

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
}

std::optional<targets::DeviceCounters> DeviceWatch::read() const {
  if (!nfs_mountpoint_.empty()) return targets::read_mountstats(roots_.procfs, nfs_mountpoint_);
  if (numbers_.empty()) return std::nullopt;
  targets::DeviceCounters sum;
  for (const std::string& number : numbers_) {
    const auto counters = targets::read_counters(roots_.sysfs, number);
    if (!counters) return std::nullopt;
    add(sum, *counters);
  }
  return sum;
}

std::optional<CounterSample> DeviceWatch::sample() const {
  const auto counters = read();
  if (!counters) return std::nullopt;
  return CounterSample{*counters, std::chrono::steady_clock::now()};
}

Usage counted_between(const CounterSample& before, const CounterSample& after) {
  const auto& was = before.counters;
  const auto& is = after.counters;
  return {after.at - before.at,
          (is.bytes_read - was.bytes_read) + (is.bytes_written - was.bytes_written),
          (is.reads - was.reads) + (is.writes - was.writes)};
}

Usage answered_requests(const Measurement& measured) {
  Usage answered;
  for (const Operation operation : {Operation::read, Operation::write}) {
    answered += measured.used[operation];
  }
  if (answered.ops == Ops{}) return answered;
  Ops failed;
  for (const auto& [name, count] : measured.errors) failed += Ops{count};
  // A request that is sent again has paid its bytes once.
  const Ops first_tries = std::max(answered.ops - Ops{measured.retries}, Ops{1});
  const Bytes block{answered.bytes.value / first_tries.value};
  answered.bytes = answered.bytes - Bytes{block.value * failed.value};
  answered.ops = answered.ops - failed - Ops{measured.retries};
  return answered;
}

DeviceActivity device_activity(const std::string& name, const CounterSample& before,
                               const CounterSample& after, const Measurement& measured) {
  const Usage counted = counted_between(before, after);
  const Usage ours = answered_requests(measured);
  Usage in_window;
  for (const Operation operation : {Operation::read, Operation::write}) {
    const OperationStats& stats = measured.operations[operation];
    in_window += Usage{{}, stats.bytes, Ops{stats.ios}};
  }

  DeviceActivity activity;
  activity.name = name;
  const double seconds = to_seconds(counted.time);
  if (seconds > 0) {
    activity.other_iops = value_of(counted.ops - ours.ops) / seconds;
    activity.other_throughput = value_of(counted.bytes - ours.bytes) / seconds;
  }
  const double window = to_seconds(measured.duration);
  activity.ios = static_cast<std::uint64_t>(
      value_of(in_window.ops) * share_of(value_of(counted.ops), value_of(ours.ops)) +
      activity.other_iops * window);
  activity.bytes = {static_cast<std::uint64_t>(
      value_of(in_window.bytes) * share_of(value_of(counted.bytes), value_of(ours.bytes)) +
      activity.other_throughput * window)};
  return activity;
}

BusyWatch::BusyWatch(const Target& target)
    : max_read_iops_(times(target.volume.promise.iops, target.busy.max_other_iops)),
      max_throughput_(times(target.volume.promise.throughput, target.busy.max_other_throughput)) {}

bool BusyWatch::exceeds(const CounterSample& sample, Bytes written) const {
  const auto& was = last_->counters;
  const auto& is = sample.counters;
  const double seconds = to_seconds(sample.at - last_->at);
  const Bytes others = (is.bytes_read - was.bytes_read) +
                       ((is.bytes_written - was.bytes_written) - (written - last_written_));
  if (max_read_iops_ && value_of(is.reads - was.reads) / seconds > *max_read_iops_) return true;
  if (max_throughput_ && value_of(others) / seconds > *max_throughput_) return true;
  return !max_read_iops_ && !max_throughput_ && is.in_flight > kBusyInFlight;
}

bool BusyWatch::is_busy(const CounterSample& sample, Bytes written) {
  if (last_ && sample.at < last_->at + kWindow) return busy_since_.has_value();
  if (last_) {
    if (!exceeds(sample, written)) {
      busy_since_.reset();
    } else if (!busy_since_) {
      busy_since_ = sample.at;
    }
  }
  last_ = sample;
  last_written_ = written;
  return busy_since_.has_value();
}

}  // namespace storage_probe::worker
