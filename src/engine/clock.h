// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/units.h"

namespace storage_probe::engine {

// The monotonic clock as an argument: std::chrono::steady_clock::now in the program, virtual time
// in tests. The hot loops read it once a batch.
using Clock = std::function<SteadyTime()>;

}  // namespace storage_probe::engine
