// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/units.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::worker {

// How a worker speaks: lines on a descriptor that its parent reads. With each line it also sets its
// own alarm anew, so that it does not outlive a parent that died: SIGALRM ends a worker that has
// nothing to say for too long, and a line that nobody takes ends it at once and quietly. One thread
// uses it.
class Reporter {
 public:
  Reporter(int fd, Duration measuring_time) : fd_(fd), measuring_time_(measuring_time) {}

  void say(const Progress& progress) const;
  void enter(Phase phase) const { say(Progress{.phase = phase}); }
  void say(const Cleaned& cleaned) const;
  void finish(const ProbeReport& report) const;

 private:
  void write_line(std::string_view line) const;

  int fd_;
  Duration measuring_time_;
};

}  // namespace storage_probe::worker
