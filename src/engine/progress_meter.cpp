// SPDX-License-Identifier: Apache-2.0
#include "engine/progress_meter.h"

#include <algorithm>

namespace storage_probe::engine {
namespace {

template <typename T>
double share(T used, T limit) {
  return limit == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(limit);
}

}  // namespace

void ProgressMeter::update(SteadyTime now, const Usage& paid, std::uint64_t completed) {
  if (now - last_ < kTick || !context_.progress) return;
  const Duration elapsed = now - start_;
  const double done = std::max({share(elapsed.count(), limits_.time.count()),
                                share(paid.ops.value, limits_.ops.value),
                                share(paid.bytes.value, limits_.bytes.value)});
  context_.progress(
      {.phase = Phase::measure,
       .done = std::min(done, 1.0),
       .elapsed = elapsed,
       .iops = static_cast<double>(completed - last_completed_) / to_seconds(now - last_)});
  last_ = now;
  last_completed_ = completed;
}

}  // namespace storage_probe::engine
