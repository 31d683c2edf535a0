// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace storage_probe::engine {

// The processor time that this process has used, all its threads together.
struct CpuTime {
  Duration user{}, system{};

  static CpuTime now();
};

}  // namespace storage_probe::engine
