// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "engine/run.h"

namespace storage_probe::engine {

// CLOCK_BOOTTIME, which goes on while the machine sleeps and the monotonic clock does not.
SteadyTime boot_time();

// The clock of one run, which never goes back: where the machine's clock does, it goes on from the
// last reading. The context must outlive it.
class RunClock {
 public:
  explicit RunClock(const RunContext& context);

  // Reads it; once a batch, which takes a fraction of a second.
  SteadyTime read();
  SteadyTime now() const { return now_; }  // when it was last read
  // Whether what it has shown is no measure: it went back, or jumped by so much that a process that
  // stood still or a virtual machine that was moved is behind it, or the machine has slept.
  bool is_suspect() const;

 private:
  const RunContext& context_;
  SteadyTime reading_, now_;
  const SteadyTime start_;
  SteadyTime boot_start_;
  bool has_stepped_ = false;
};

}  // namespace storage_probe::engine
