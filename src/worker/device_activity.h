// SPDX-License-Identifier: Apache-2.0
// What the device under a target does while we do something to it: ours, and that of others.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/target.h"
#include "targets/activity.h"
#include "targets/device_watch.h"

namespace storage_probe::worker {

// The requests of a run that its device has answered: all but those that failed or were sent again.
// An fsync is a flush, which devices count apart.
Usage answered_requests(const Measurement& measured);

// What happened between two samples, in which `measured` ran. The others' rates are over all the
// time between them; `ios` and `bytes` are brought down to the measured window, without warm-up.
DeviceActivity device_activity(const std::string& name, const targets::CounterSample& before,
                               const targets::CounterSample& after, const Measurement& measured);

// Whether others use a device more than the target's rule allows, while we write a file there,
// without a write of ours in flight when it is asked. Judges over a second at least, and says the
// same in between.
class BusyWatch {
 public:
  explicit BusyWatch(const Target& target);

  // `written`: by us, so far.
  bool is_busy(const targets::CounterSample& sample, Bytes written);
  // Since when is_busy() has said yes; empty when it said no.
  std::optional<SteadyTime> busy_since() const { return busy_since_; }

 private:
  bool exceeds(const targets::CounterSample& sample, Bytes written) const;

  targets::BusyLimits limits_;
  std::optional<targets::CounterSample> last_;
  Bytes last_written_;
  std::optional<SteadyTime> busy_since_;
};

}  // namespace storage_probe::worker
