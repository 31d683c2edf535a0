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

}  // namespace storage_probe::engine
