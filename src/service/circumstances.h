// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "config/config.h"
#include "model/target.h"
#include "schedule/scheduler.h"
#include "schedule/windows.h"
#include "targets/activity_watch.h"

namespace storage_probe::service {

// What the scheduler cannot know by itself, gathered in one place: what is under the targets, what
// keeps them from being probed. Owned by Runs, on the loop's thread; never touches a target.
class Circumstances {
 public:
  Circumstances(std::filesystem::path procfs, std::filesystem::path sysfs);

  // A target that differs now is another one, until a run tells more of it.
  void forget_devices(const std::string& target);
  void forget(const std::string& target);
  // Before the first report only the mount table tells which targets share a device. Answers with
  // what is under the targets that were not known yet.
  std::map<std::string, MountIdentity> learn_devices(const config::Config& config);
  void note_identity(const Target& target, const MountIdentity& identity);

  // A run of ours uses the target's devices, until it is over.
  void run_begins(const std::string& target) { activity_.run_begins(target); }
  void run_ends(const std::string& target) { activity_.run_ends(target); }
  // Each second: how busy the devices are.
  void sample(SteadyTime now) { activity_.sample(now); }
  // What each device did in the last one.
  const std::map<std::string, DeviceSecond>& seconds() const { return activity_.seconds(); }

  // A file that was removed, cut or left behind on another volume is paid for and laid out again.
  void note_probe_file(const Target& target, Bytes file_bytes);

  void set_stuck(const std::string& target) { stuck_.insert(target); }  // SIGKILL did not end it
  void set_free(const std::string& target) { stuck_.erase(target); }

  // What an operator holds, by target, and until when and why.
  void set_held(std::map<std::string, std::string> held) { held_ = std::move(held); }
  // To be told whenever a minute may have passed.
  void set_time_of_day(const Windows& windows, std::chrono::minutes time);

  schedule::Facts facts(SteadyTime now) const;

 private:
  std::filesystem::path procfs_, sysfs_;
  std::map<std::string, std::vector<std::string>> devices_;  // leaf devices by target
  std::set<std::string> stuck_;
  std::set<std::string> needs_layout_;
  targets::ActivityWatch activity_;
  std::map<std::string, std::string> held_;
  std::optional<schedule::Closed> quiet_, no_capacity_;
};

// The local time of the day; the time zone is that of the process's start.
std::chrono::minutes time_of_day(WallTime now);

}  // namespace storage_probe::service
