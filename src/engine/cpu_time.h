// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace storage_probe::engine {

// The processor time that was used so far.
struct CpuTime {
  Duration user{}, system{};

  static CpuTime now();  // by this process, all its threads together
  static CpuTime of_this_thread();

  Duration total() const { return user + system; }
};

}  // namespace storage_probe::engine
