// SPDX-License-Identifier: Apache-2.0
// What the device under a target does while we do something to it: ours, and that of others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/target.h"
#include "targets/sysfs.h"

namespace storage_probe::worker {

struct CounterSample {
  targets::DeviceCounters counters;
  SteadyTime at;
};

// Whose counters are read. Of a block device the leaf if there is one, for it sees the other
// partitions too; of a stack with several the top, for a stripe cuts one I/O into many and a mirror
// writes each twice; of a file system on several devices the tops together. Of an NFS mount what
// its client has asked the server for.
class DeviceWatch {
 public:
  struct Roots {
    std::filesystem::path procfs, sysfs;
  };
  DeviceWatch(const MountIdentity& identity, Roots roots);

  const std::string& name() const { return name_; }
  // Empty where nothing counts: other network file systems, and what has no device to be seen.
  std::optional<CounterSample> sample() const;

 private:
  std::optional<targets::DeviceCounters> read() const;

  Roots roots_;
  std::string name_;
  std::vector<std::string> numbers_;  // of block devices
  std::string nfs_mountpoint_;
};

// Reads and writes, with their bytes, that were completed between two samples. Counters that went
// backwards, as those of a device that was replaced, have counted nothing.
Usage counted_between(const CounterSample& before, const CounterSample& after);

// The requests of a run that its device has answered: all but those that failed or were sent again.
// An fsync is a flush, which devices count apart.
Usage answered_requests(const Measurement& measured);

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
