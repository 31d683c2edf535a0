// SPDX-License-Identifier: Apache-2.0
#include "worker/contention.h"

#include <chrono>
#include <thread>

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;

// Shorter, a throttle's slices of 100 ms and the batches of others look like a rise.
constexpr Duration kWindow = milliseconds{500};
// Larger ones are cut on their way by many devices, and how often is not known: then a device
// counts more requests than we have sent, and bytes have to do.
constexpr Bytes kUncut{64 * kKiB.value};
constexpr Duration kLook = milliseconds{200};
constexpr int kLooks = 5;

double value_of(Ops ops) { return static_cast<double>(ops.value); }
double value_of(Bytes bytes) { return static_cast<double>(bytes.value); }

std::optional<targets::CounterSample> sample(const targets::DeviceWatch& device) {
  const auto counters = device.read();
  if (!counters) return std::nullopt;
  return targets::CounterSample{*counters, std::chrono::steady_clock::now()};
}

}  // namespace

Contention::Contention(const Target& target, const ProbeSpec& spec)
    : limits_(targets::busy_limits(target.volume.promise, target.busy)),
      block_size_(spec.block_size),
      depth_(spec.queue_depth.value_or(1)) {}

bool Contention::is_too_much(const targets::CounterSample& sample, Ops ours) {
  moments_.push_back({sample, ours});
  // The oldest that is a window away, and nothing before it.
  while (moments_.size() > 1 && moments_[1].sample.at <= sample.at - kWindow) {
    moments_.pop_front();
  }
  if (sample.at - moments_.front().sample.at < kWindow) return false;
  return !targets::why_busy(others(), limits_).empty();
}

// What the device has answered and we have not yet seen is ours, too: a queue full of it.
targets::OtherIo Contention::others() const {
  const Moment& first = moments_.front();
  const Moment& last = moments_.back();
  const Usage counted = targets::counted_between(first.sample, last.sample);
  const double seconds = to_seconds(counted.time);
  const Ops ours = last.ours - first.ours + Ops{depth_};
  targets::OtherIo others;
  others.throughput = value_of(counted.bytes - Bytes{ours.value * block_size_.value}) / seconds;
  if (block_size_ > kUncut) return others;
  others.iops = value_of(counted.ops - ours) / seconds;
  for (const Moment& moment : moments_) {
    others.in_flight += value_of(moment.sample.counters.in_flight - Ops{depth_});
  }
  others.in_flight /= static_cast<double>(moments_.size());
  return others;
}

std::string find_others(const Target& target, const targets::DeviceWatch& device) {
  if (std::string why = device.maintenance(); !why.empty()) return why;
  const auto first = sample(device);
  if (!first) return {};
  targets::OtherIo others;
  for (int look = 1; look <= kLooks; ++look) {
    std::this_thread::sleep_for(kLook);
    const auto now = sample(device);
    if (!now) return {};
    const Usage counted = targets::counted_between(*first, *now);
    if (counted.ops == Ops{} && now->counters.in_flight == Ops{}) return {};
    others.iops = value_of(counted.ops) / to_seconds(counted.time);
    others.throughput = value_of(counted.bytes) / to_seconds(counted.time);
    others.in_flight += value_of(now->counters.in_flight) / kLooks;
  }
  return targets::why_busy(others, targets::busy_limits(target.volume.promise, target.busy));
}

}  // namespace storage_probe::worker
