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
