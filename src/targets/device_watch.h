// SPDX-License-Identifier: Apache-2.0
// The counters of what is under a target, whatever that is. Nothing of the target is touched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/probe_spec.h"
#include "model/target.h"
#include "targets/sysfs.h"

namespace storage_probe::targets {

struct CounterSample {
  DeviceCounters counters;
  SteadyTime at;
};

// Reads and writes, with their bytes, that were completed between two samples. Counters that went
// backwards, as those of a device that was replaced, have counted nothing.
Usage counted_between(const CounterSample& before, const CounterSample& after);

// Whose counters are read. Of a block device the leaf if there is one, for it sees the other
// partitions too; of a stack with several the top, for a stripe cuts one I/O into many and a mirror
// writes each twice; of a file system on several devices the tops together. Of an NFS mount what
// its client has asked the server for. A value: which device it is was decided when it was made.
class DeviceWatch {
 public:
  struct Roots {
    std::filesystem::path procfs, sysfs;
  };
  DeviceWatch(const MountIdentity& identity, Roots roots);

  const std::string& name() const { return name_; }
  // Empty where nothing counts: other network file systems, and what has no device to be seen.
  std::optional<DeviceCounters> read() const;
  // Work that the kernel does there by itself, for a message: "md0 resyncs". Of md arrays in the
  // stack; sysfs says nothing of a mirror of dm that copies, nor of a disk that rebuilds inside.
  // Empty when there is none.
  std::string maintenance() const;

 private:
  Roots roots_;
  std::string name_;
  std::vector<std::string> numbers_;  // of block devices
  std::vector<BlockDevice> arrays_;   // md devices anywhere in the stack
  std::string nfs_mountpoint_;
};

}  // namespace storage_probe::targets
