// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/units.h"
#include "model/device_second.h"
#include "model/promise.h"
#include "model/target.h"
#include "targets/activity.h"
#include "targets/device_watch.h"

namespace storage_probe::targets {

// The devices of all targets, looked at each second: who is too busy for a probe. It reads /proc
// and /sys only, which wait for no device. Used on one thread, its owner's.
class ActivityWatch {
 public:
  explicit ActivityWatch(DeviceWatch::Roots roots) : roots_(std::move(roots)) {}

  // What the provider lets this host do on all its volumes together; empty members are no limit.
  void set_instance(const Promise& limit) { instance_ = limit; }
  // From here on looks at what is under the target. What is known of it stays while that does.
  void watch(const Target& target, const MountIdentity& identity);
  void forget(const std::string& target) { watched_.erase(target); }

  // A run of ours uses the target's devices, until it is over.
  void run_begins(const std::string& target);
  void run_ends(const std::string& target) { running_.erase(target); }

  // Once a second, with the clock's reading.
  void sample(SteadyTime now);

  // By target, what its device did between the last two samples.
  const std::map<std::string, DeviceSecond>& seconds() const { return seconds_; }

  // The targets that are too busy, each with why.
  std::map<std::string, std::string> busy(SteadyTime now) const;
  // The targets of which more will be known in a second: they were looked at once at most.
  std::set<std::string> undecided() const;

 private:
  // What does the I/O, to know who shares it: numbers of leaf devices, or a server.
  using Parts = std::set<std::string>;
  struct Watched {
    DeviceWatch device;
    Parts parts;
    BusyRule rule;
    BusyLimits limits;
    Activity activity;
    std::optional<CounterSample> last;
    std::string maintenance;
    unsigned looks = 0;
    bool is_counted = false;
  };

  bool is_held(const Parts& parts) const;
  void look_at(const std::string& name, Watched& target, SteadyTime now);
  void sample_volumes(SteadyTime now);
  std::string why_host_is_busy(const BusyRule& rule, const OtherIo& total) const;
  OtherIo host_total(SteadyTime now) const;

  DeviceWatch::Roots roots_;
  Promise instance_;
  std::map<std::string, Watched> watched_;  // by target
  std::map<std::string, DeviceSecond> seconds_;
  std::map<std::string, Activity> volumes_;  // by number: all leaves, where the host has a limit
  std::map<std::string, Parts> running_;     // what a run uses now, by its target
  Parts held_;                               // by a run, at some time since the last sample
};

}  // namespace storage_probe::targets
