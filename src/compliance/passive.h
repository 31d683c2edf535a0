// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/units.h"
#include "compliance/burst.h"
#include "model/device_second.h"
#include "model/probe_spec.h"
#include "model/terms.h"
#include "model/verdict.h"

namespace storage_probe::compliance {

// What the application's own load has shown, while it kept the device saturated.
struct PassiveRun {
  Judgement judgement;
  double iops = 0, throughput = 0;  // delivered
  Duration length{};
};

// Looks at what others do with a device, second by second: while at least as many I/Os are in
// flight as the promise needs, what is delivered is what the volume can do, and is judged as a run
// of 5 s and more. A load that comes in volleys has as many in flight on average and leaves the
// volume idle in between: so the last instant of each second is looked at as well, and 60 of them
// in a row must have met a queue before the volume is accused. Seconds with I/O of ours do not
// count. Owned by the service, on the loop's thread.
class Passive {
 public:
  Passive() = default;
  // `idle_latency` may be empty: then saturation cannot be told and there is never an answer.
  void expect(const Terms& terms, std::optional<Duration> idle_latency);
  void add(const DeviceSecond& second);
  // Once for each stretch that was long enough: at its end, or each minute while it lasts.
  std::optional<PassiveRun> take(const std::optional<Balance>& balance);

 private:
  // What was delivered while the device was saturated without a pause.
  struct Stretch {
    Usage reads, writes;
    Duration length{};
  };
  bool is_saturated(const DeviceSecond& second) const;

  Terms terms_;
  std::optional<double> depth_;  // in flight, to call it saturated; empty: not to be told
  Stretch current_;
  std::optional<Stretch> ended_;
};

}  // namespace storage_probe::compliance
