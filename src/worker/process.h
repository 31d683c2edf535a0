// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::worker {

// One run, in a child process of our own binary (`/proc/self/exe worker`): fork and exec, the job
// on its stdin, progress and report lines on its stdout, its stderr is ours. Passive: whoever owns
// it watches the two descriptors, in any event loop, and calls in; nothing here waits. A child in
// uninterruptible sleep survives kill(); the object that watches it stays.
class Process {
 public:
  using Clock = SteadyTime;

  // `lock` (may be empty) is inherited by the child: a descriptor that holds the target's flock, so
  // that the lock lives as long as the child does, also when we die.
  static Result<Process> spawn(const Job& job, UniqueFd lock, SteadyTime now);

  Process(Process&&) noexcept = default;
  Process& operator=(Process&&) noexcept = default;
  ~Process() = default;  // does not kill: the pidfd's owner decides

  pid_t pid() const { return pid_; }
  int report_fd() const { return report_.get(); }  // non-blocking; readable: on_report_readable()
  int exit_fd() const { return pidfd_.get(); }     // pidfd; readable: the child has exited

  // Reads what is there. False at end of file: stop watching report_fd().
  bool on_report_readable(SteadyTime now);
  void kill(SteadyTime now);  // SIGKILL; idempotent
  std::optional<SteadyTime> killed_at() const { return killed_at_; }

  // The last progress line, for whoever shows it.
  const std::optional<Progress>& progress() const { return progress_; }

  // When the child is overdue: limits.time + 5 s without the end of measuring, or 10 s without a
  // line in any other phase.
  SteadyTime deadline() const;

  // Reaps the child, once exit_fd() is readable, and returns what it reported. A child that died
  // without a report gets one made here: timed_out when we killed it for being overdue, else failed
  // with `worker_failed` and its exit status or signal in the message.
  ProbeReport collect(SteadyTime now);

 private:
  Process() = default;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd report_;
  std::optional<SteadyTime> killed_at_;
  std::optional<Progress> progress_;
  // (the rest of the private part is the implementer's)
};

}  // namespace storage_probe::worker
