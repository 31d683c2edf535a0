// SPDX-License-Identifier: Apache-2.0
#include "engine/run.h"

namespace storage_probe::engine {

bool failed_by_errors(const Measurement& measurement) {
  if (measurement.fsync_failed || measurement.gave_up) return true;
  std::uint64_t failed = 0;
  for (const auto& [name, count] : measurement.errors) failed += count;
  Ops all;
  for (const Operation operation : kOperations) all += measurement.used[operation].ops;
  return failed * 100 > all.value;
}

void add_costs(Measurement& to, const Measurement& from) {
  for (const Operation operation : kOperations) to.used[operation] += from.used[operation];
  to.retries += from.retries;
  to.short_ios += from.short_ios;
  for (const auto& [name, count] : from.errors) to.errors[name] += count;
  to.fsync_failed |= from.fsync_failed;
  to.gave_up |= from.gave_up;
  to.clock_suspect |= from.clock_suspect;
}

std::optional<Usage> left_of(const Usage& limits, const Measurement& spent) {
  Usage used;
  for (const Operation operation : kOperations) used += spent.used[operation];
  used.time = spent.elapsed;
  const auto is_spent = [](const auto& limit, const auto& use) {
    return limit != decltype(limit - use){} && use >= limit;
  };
  if (is_spent(limits.time, used.time) || is_spent(limits.bytes, used.bytes) ||
      is_spent(limits.ops, used.ops)) {
    return std::nullopt;
  }
  Usage left = limits;
  if (limits.time != Duration{}) left.time -= used.time;
  if (limits.bytes != Bytes{}) left.bytes = limits.bytes - used.bytes;
  if (limits.ops != Ops{}) left.ops = limits.ops - used.ops;
  return left;
}

std::optional<std::string> lost_writes(const Measurement& measurement) {
  if (!measurement.verification) return std::nullopt;
  const Verification& found = *measurement.verification;
  if (found.torn + found.stale == 0) return std::nullopt;
  return "of " + std::to_string(found.blocks) + " blocks that were read back, " +
         std::to_string(found.torn) + " are torn and " + std::to_string(found.stale) +
         " stale, the first at byte " + std::to_string(found.first_bad.value_or(Bytes{}).value) +
         " of the probe file: the volume has not kept what it had confirmed";
}

}  // namespace storage_probe::engine
