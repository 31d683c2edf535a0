// SPDX-License-Identifier: Apache-2.0
#include "worker/device_activity.h"

#include <algorithm>
#include <chrono>

namespace storage_probe::worker {
namespace {

constexpr std::chrono::seconds kWindow{1};

double value_of(Ops ops) { return static_cast<double>(ops.value); }
double value_of(Bytes bytes) { return static_cast<double>(bytes.value); }

// What of our I/O the device has seen; all of it where it has seen more.
double share_of(double counted, double ours) { return ours > counted ? counted / ours : 1; }

}  // namespace

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

DeviceActivity device_activity(const std::string& name, const targets::CounterSample& before,
                               const targets::CounterSample& after, const Measurement& measured) {
  const Usage counted = targets::counted_between(before, after);
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
    : limits_(targets::busy_limits(target.volume.promise, target.busy)) {}

// Of others' requests the reads are counted; their writes, which are not told from ours, are seen
// by their bytes.
bool BusyWatch::exceeds(const targets::CounterSample& sample, Bytes written) const {
  const double seconds = to_seconds(sample.at - last_->at);
  const Usage counted = targets::counted_between(*last_, sample);
  const Bytes others = counted.bytes - (written - last_written_);
  const Ops reads = sample.counters.reads - last_->counters.reads;
  return !targets::why_busy({value_of(reads) / seconds, value_of(others) / seconds,
                             value_of(sample.counters.in_flight)},
                            limits_)
              .empty();
}

bool BusyWatch::is_busy(const targets::CounterSample& sample, Bytes written) {
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
