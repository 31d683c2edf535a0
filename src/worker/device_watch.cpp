// SPDX-License-Identifier: Apache-2.0
#include "worker/device_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace storage_probe::worker {
namespace {

constexpr std::chrono::seconds kWindow{1};
// Without a promise: more of others' I/Os in flight than a quiet device has.
constexpr Ops kBusyInFlight{4};

double value_of(Ops ops) { return static_cast<double>(ops.value); }
double value_of(Bytes bytes) { return static_cast<double>(bytes.value); }

std::optional<double> times(std::optional<double> promise, double ratio) {
  if (!promise) return std::nullopt;
  return *promise * ratio;
}

}  // namespace

DeviceWatch::DeviceWatch(const MountIdentity& identity, std::filesystem::path sysfs)
    : sysfs_(std::move(sysfs)) {
  const auto& devices = identity.devices;
  const auto is_leaf = [](const Device& device) { return device.leaf; };
  const auto leaves = std::count_if(devices.begin(), devices.end(), is_leaf);
  const auto watched =
      leaves == 1 ? std::find_if(devices.begin(), devices.end(), is_leaf) : devices.begin();
  if (watched == devices.end()) return;
  name_ = watched->name;
  number_ = watched->number;
}

std::optional<CounterSample> DeviceWatch::sample() const {
  if (number_.empty()) return std::nullopt;
  const auto counters = targets::read_counters(sysfs_, number_);
  if (!counters) return std::nullopt;
  return CounterSample{*counters, std::chrono::steady_clock::now()};
}

DeviceActivity device_activity(const std::string& name, const CounterSample& before,
                               const CounterSample& after, const Measurement& measured) {
  const auto& was = before.counters;
  const auto& is = after.counters;
  const Ops ios = (is.reads - was.reads) + (is.writes - was.writes);
  const Bytes bytes = (is.bytes_read - was.bytes_read) + (is.bytes_written - was.bytes_written);
  Usage ours;  // an fsync is a flush, which the device counts apart
  Usage in_window;
  for (const Operation operation : {Operation::read, Operation::write}) {
    ours += measured.used[operation];
    const OperationStats& stats = measured.operations[operation];
    in_window += Usage{{}, stats.bytes, Ops{stats.ios}};
  }

  DeviceActivity activity;
  activity.name = name;
  const double seconds = to_seconds(after.at - before.at);
  if (seconds > 0) {
    activity.other_iops = value_of(ios - ours.ops) / seconds;
    activity.other_throughput = value_of(bytes - ours.bytes) / seconds;
  }
  const double window = to_seconds(measured.duration);
  activity.ios = in_window.ops.value + static_cast<std::uint64_t>(activity.other_iops * window);
  activity.bytes =
      in_window.bytes + Bytes{static_cast<std::uint64_t>(activity.other_throughput * window)};
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
