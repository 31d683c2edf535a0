// SPDX-License-Identifier: Apache-2.0
// What the block device under a target does while we do something to it: ours, and that of others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/target.h"
#include "targets/sysfs.h"

namespace storage_probe::worker {

struct CounterSample {
  targets::DeviceCounters counters;
  SteadyTime at;
};

// The device whose counters are read: the leaf if there is one, for it sees the other partitions
// too; of a stack with several the top, for a stripe cuts one I/O into many.
class DeviceWatch {
 public:
  DeviceWatch(const MountIdentity& identity, std::filesystem::path sysfs);

  const std::string& name() const { return name_; }
  // Empty where there is no block device: network file systems.
  std::optional<CounterSample> sample() const;

 private:
  std::filesystem::path sysfs_;
  std::string name_;
  std::string number_;
};

// What happened between two samples, in which `measured` ran. The others' rates are over all the
// time between them; `ios` and `bytes` are brought down to the measured window, without warm-up.
DeviceActivity device_activity(const std::string& name, const CounterSample& before,
                               const CounterSample& after, const Measurement& measured);

// Whether others use a device more than the target's rule allows, while we write a file there,
// without a write of ours in flight when it is asked. Judges over a second at least, and says the
// same in between.
class BusyWatch {
 public:
  explicit BusyWatch(const Target& target);

  // `written`: by us, so far.
  bool is_busy(const CounterSample& sample, Bytes written);
  // Since when is_busy() has said yes; empty when it said no.
  std::optional<SteadyTime> busy_since() const { return busy_since_; }

 private:
  bool exceeds(const CounterSample& sample, Bytes written) const;

  std::optional<double> max_read_iops_;  // of others; their writes are seen by their bytes
  std::optional<double> max_throughput_;
  std::optional<CounterSample> last_;
  Bytes last_written_;
  std::optional<SteadyTime> busy_since_;
};

}  // namespace storage_probe::worker
