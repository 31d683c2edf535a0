// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "base/units.h"
#include "engine/run.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// The longest that a loop waits before it looks at the clock again, and the least time between two
// reports of progress.
inline constexpr Duration kTick = std::chrono::milliseconds{250};

// Tells a run's context where the run is. The context must outlive it.
class ProgressMeter {
 public:
  ProgressMeter(const RunContext& context, const Usage& limits, SteadyTime start)
      : context_(context), limits_(limits), start_(start), last_(start) {}

  // Called once a batch; reports when it is time to. `completed` counts the blocks so far.
  void update(SteadyTime now, const Usage& paid, std::uint64_t completed);

 private:
  const RunContext& context_;
  Usage limits_;
  SteadyTime start_, last_;
  std::uint64_t last_completed_ = 0;
};

}  // namespace storage_probe::engine
