// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

#include <algorithm>
#include <cmath>

#include "base/hash.h"
#include "config/catalogue.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Bytes kLargestDefaultFile = kGiB;
constexpr Bytes kLayoutBlock = kMiB;
constexpr Bytes kSmallestLayoutBlock{64 * kKiB.value};
// Besides the data: smaller blocks to begin with, the header, a round trip of it, and fsyncs.
constexpr Ops kLayoutExtraOps{8};
// A volume may be slower than the rate, or busy for others meanwhile.
constexpr int kLayoutSlowness = 2;
constexpr Duration kLayoutExtraTime = seconds(5);
constexpr double kPiecesPerDay = 24;                 // at most
constexpr double kLayoutShare = 0.25;                // of the promised throughput
constexpr double kLayoutRate = 100.0 * 1024 * 1024;  // bytes per second, without a promise

constexpr double kDepthMargin = 1.5;  // over what the promise needs at the idle latency
constexpr unsigned kMaxDepth = 256;
constexpr unsigned kDepthWithoutPromise = 32;
constexpr unsigned kSequentialMinDepth = 2;
constexpr unsigned kSequentialMaxDepth = 8;
constexpr unsigned kSequentialDepthWithoutPromise = 4;

// What to take for the idle latency before it was measured.
Duration usual_latency(std::string_view volume_type) {
  const VolumeType* const type = find_type(config::built_in_catalogue(), volume_type);
  return type != nullptr && type->is_hdd ? milliseconds(10) : milliseconds(1);
}

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
      random ? promised_iops(spec, promise) : promised_throughput(spec, promise);
  if (!rate) return random ? kDepthWithoutPromise : kSequentialDepthWithoutPromise;
  if (!random) *rate /= static_cast<double>(std::max<std::uint64_t>(spec.block_size.value, 1));
  // 3 I/Os of 1 ms at 2000/s are 9.000000000000002 in doubles: not a reason for a tenth.
  const double needed = std::ceil(*rate * to_seconds(latency) * kDepthMargin * (1 - 1e-12));
  const double lowest = random ? 1 : kSequentialMinDepth;
  const double highest = random ? kMaxDepth : kSequentialMaxDepth;
  return static_cast<unsigned>(std::clamp(needed, lowest, highest));
}

// Far from where a conversion would be undefined.
std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::ceil(std::clamp(value, 0.0, 1e18)));
}

// The writes of a layout, which at a low rate are small.
Bytes layout_block(double rate) {
  Bytes block = kLayoutBlock;
  while (block > kSmallestLayoutBlock && static_cast<double>(block.value) > rate / 4)
    block.value /= 2;
  return block;
}

// The data of a layout, or of a share of it, and nothing else.
Usage layout_data(const Target& target, double share) {
  const double rate = layout_rate(target.volume.promise);
  const double bytes = static_cast<double>(layout_cost(target).value) * share;
  const double most_seconds = to_seconds(std::chrono::hours(24));
  return {from_seconds(std::min(bytes / rate, most_seconds)), Bytes{whole(bytes)},
          Ops{whole(bytes / static_cast<double>(layout_block(rate).value))}};
}

Usage with_extras(Usage data) {
  data.bytes += kLayoutBlock;
  data.ops += kLayoutExtraOps;
  return data;
}

double share_of(std::uint64_t part, std::uint64_t all) {
  return static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(all, 1));
}

// What share of the data `left` can pay, 1 for all and more where there is more.
double payable(const Usage& data, const Usage& left, bool is_time_limited) {
  const double share = std::min(share_of(left.bytes.value, data.bytes.value),
                                share_of(left.ops.value, data.ops.value));
  if (!is_time_limited) return share;
  return std::min(share, to_seconds(left.time) / std::max(to_seconds(data.time), 1e-9));
}

}  // namespace

std::optional<double> promised_iops(const ProbeSpec& spec, const Promise& promise) {
  return promised(spec, promise.iops, promise.read_iops, promise.write_iops);
}

std::optional<double> promised_throughput(const ProbeSpec& spec, const Promise& promise) {
  return promised(spec, promise.throughput, promise.read_throughput, promise.write_throughput);
}

std::optional<Duration> added_latency(const ProbeSpec& spec, const VolumeSpec& volume) {
  const double depth = queue_depth(spec, volume, std::nullopt);
  std::optional<double> seconds;
  if (const auto iops = promised_iops(spec, volume.promise); iops && *iops > 0)
    seconds = depth / *iops;
  if (const auto rate = promised_throughput(spec, volume.promise); rate && *rate > 0)
    seconds =
        std::max(seconds.value_or(0), depth * static_cast<double>(spec.block_size.value) / *rate);
  return seconds ? std::optional(from_seconds(*seconds)) : std::nullopt;
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
  if (layout_cost(target).value == 0) return {};
  return with_extras(layout_data(target, 1));
}

Usage layout_piece(const Target& target, const Usage& allowance, const Usage& taken) {
  const Bytes cost = layout_cost(target);
  if (cost.value == 0) return {};
  const Usage extras = with_extras({});
  const Usage left{std::max(Duration{}, allowance.time - taken.time),
                   allowance.bytes - taken.bytes - extras.bytes,
                   allowance.ops - taken.ops - extras.ops};
  const Usage data = layout_data(target, 1);
  const bool is_time_limited = allowance.time > Duration{};
  const double least = std::max(payable(data, allowance, is_time_limited) / kPiecesPerDay,
                                share_of(kLayoutBlock.value, cost.value));
  const double share = std::min(std::max(least, payable(data, left, is_time_limited)), 1.0);
  const Usage needed = layout_data(target, share);
  Usage piece = with_extras(needed);
  piece.time = kLayoutSlowness * needed.time + kLayoutExtraTime;
  if (is_time_limited) piece.time = std::min(piece.time, std::max(left.time, needed.time));
  return piece;
}

Bytes layout_per_day(const Target& target, const Usage& allowance) {
  const double share = payable(layout_data(target, 1), allowance, allowance.time > Duration{});
  return {whole(static_cast<double>(layout_cost(target).value) * share)};
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

Duration lease_retry(Duration every) {
  return std::clamp<Duration>(every / 16, std::chrono::milliseconds(500), seconds(15));
}

Duration patience(Duration every) { return std::min<Duration>(every / 4, seconds(60)); }

}  // namespace storage_probe::schedule
