// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/hash.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// No budget grants this, and a few of them add up without overflow.
constexpr std::uint64_t kUnbounded = 1ULL << 60U;

constexpr Bytes kLargestDefaultFile = kGiB;
constexpr Bytes kLayoutBlock = kMiB;
// Besides the data: the header, a round trip of it, and fsyncs.
constexpr std::uint64_t kLayoutExtraOps = 8;
constexpr double kLayoutShare = 0.25;                // of the promised throughput
constexpr double kLayoutRate = 100.0 * 1024 * 1024;  // bytes per second, without a promise

constexpr double kDepthMargin = 1.5;  // over what the promise needs at the idle latency
constexpr unsigned kMaxDepth = 256;
constexpr unsigned kDepthWithoutPromise = 32;
constexpr unsigned kSequentialMinDepth = 2;
constexpr unsigned kSequentialMaxDepth = 8;
constexpr unsigned kSequentialDepthWithoutPromise = 4;

// Types on rotating disks.
constexpr std::array<std::string_view, 4> kHddTypes{"aws.st1", "aws.sc1", "aws.standard",
                                                    "gcp.pd-standard"};

// What to take for the idle latency before it was measured.
Duration usual_latency(std::string_view volume_type) {
  const bool hdd = std::find(kHddTypes.begin(), kHddTypes.end(), volume_type) != kHddTypes.end();
  return hdd ? milliseconds(10) : milliseconds(1);
}

std::uint64_t whole(double value) {
  if (!(value < static_cast<double>(kUnbounded))) return kUnbounded;
  return static_cast<std::uint64_t>(std::ceil(std::max(value, 0.0)));
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

// A limit of 0 is none.
std::uint64_t limited(std::uint64_t value, std::uint64_t limit) {
  return limit == 0 ? value : std::min(value, limit);
}

// Reads and writes that one run can issue within its limits.
std::uint64_t most_ios(const ProbeSpec& spec) {
  std::uint64_t ios = kUnbounded;
  // One more: an open loop issues at both ends of its window.
  if (spec.kind == Kind::latency) ios = whole(spec.rate * to_seconds(spec.limits.time)) + 1;
  ios = limited(ios, spec.limits.ops.value);
  const std::uint64_t block = std::max<std::uint64_t>(spec.block_size.value, 1);
  const std::uint64_t bytes = spec.limits.bytes.value;
  return bytes == 0 ? ios : std::min(ios, bytes / block + (bytes % block == 0 ? 0 : 1));
}

// The promise for what this probe does: where reads and writes are promised apart, the larger of
// those it uses, because a mix may reach either.
std::optional<double> promised(const ProbeSpec& spec, const std::optional<double>& both,
                               const std::optional<double>& read,
                               const std::optional<double>& write) {
  if (both) return both;
  std::optional<double> result;
  if (spec.read_percent > 0) result = read;
  if (spec.writes() && write) result = std::max(result.value_or(0), *write);
  return result;
}

unsigned automatic_depth(const ProbeSpec& spec, const Promise& promise, Duration latency) {
  const bool random = spec.pattern == Pattern::random;
  std::optional<double> rate =
      random
          ? promised(spec, promise.iops, promise.read_iops, promise.write_iops)
          : promised(spec, promise.throughput, promise.read_throughput, promise.write_throughput);
  if (!rate) return random ? kDepthWithoutPromise : kSequentialDepthWithoutPromise;
  if (!random) *rate /= static_cast<double>(std::max<std::uint64_t>(spec.block_size.value, 1));
  // 3 I/Os of 1 ms at 2000/s are 9.000000000000002 in doubles: not a reason for a tenth.
  const double needed = std::ceil(*rate * to_seconds(latency) * kDepthMargin * (1 - 1e-12));
  const double lowest = random ? 1 : kSequentialMinDepth;
  const double highest = random ? kMaxDepth : kSequentialMaxDepth;
  return static_cast<unsigned>(std::clamp(needed, lowest, highest));
}

}  // namespace

Usage worst_case(const Target& target, const ProbeSpec& spec) {
  const std::uint64_t ios = most_ios(spec);
  Usage usage;
  usage.ops.value = ios;
  usage.bytes.value = product(ios, spec.block_size.value);
  if (spec.writes()) {
    if (spec.verify) usage += usage;  // all that was written is read back
    const auto cadence = static_cast<std::uint64_t>(std::max(spec.fsync_every, 0));
    usage.ops += Ops{(cadence == 0 ? 0 : ios / cadence) + 1};
  }
  // A file of ours is opened with one direct read of its header.
  if (layout_cost(target).value > 0) usage += Usage{{}, Bytes{4096}, Ops{1}};
  if (spec.kind == Kind::capacity) usage.time = spec.longest();
  return usage;
}

Bytes layout_cost(const Target& target) {
  if (target.path.empty() || target.file.mode == ProbeFileSpec::Mode::existing) return {};
  return target.file.size.value_or(kLargestDefaultFile);
}

double layout_rate(const Promise& promise) {
  const auto& promised = promise.throughput ? promise.throughput : promise.write_throughput;
  return promised ? *promised * kLayoutShare : kLayoutRate;
}

Usage layout_usage(const Target& target) {
  const Bytes cost = layout_cost(target);
  if (cost.value == 0) return {};
  const double most_seconds = to_seconds(std::chrono::hours(24));
  const double takes = static_cast<double>(cost.value) / layout_rate(target.volume.promise);
  return {from_seconds(std::min(takes, most_seconds)), cost + kLayoutBlock,
          Ops{cost.value / kLayoutBlock.value + kLayoutExtraOps}};
}

unsigned queue_depth(const ProbeSpec& spec, const VolumeSpec& volume,
                     std::optional<Duration> idle_latency) {
  if (spec.kind == Kind::latency) return 1;
  if (spec.queue_depth) return *spec.queue_depth;
  const Duration latency = idle_latency.value_or(usual_latency(volume.type));
  return automatic_depth(spec, volume.promise, latency);
}

Duration phase_of(std::string_view host_id, std::string_view target, std::string_view probe,
                  Duration every) {
  const std::uint64_t hash = stable_hash(probe, stable_hash(target, stable_hash(host_id)));
  return Duration(
      static_cast<std::int64_t>(Random(hash).below(static_cast<std::uint64_t>(every.count()))));
}

SteadyTime slot_after(SteadyTime now, Duration phase, Duration every) {
  const Duration since = now.time_since_epoch() - phase;
  Duration::rep slots = since / every;
  if (since < Duration{} && since % every != Duration{}) --slots;  // round down, not to 0
  return SteadyTime(phase + (slots + 1) * every);
}

Duration patience(Duration every) { return std::min<Duration>(every / 4, seconds(60)); }

}  // namespace storage_probe::schedule
