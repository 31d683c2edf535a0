// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/units.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::worker {

// One run, in a child process of our own binary (`/proc/self/exe worker`): fork and exec, the job
// on its stdin, progress and report lines on its stdout, its stderr is ours. Passive: whoever owns
// it watches the two descriptors, in any event loop, and calls in; nothing here waits. A child in
// uninterruptible sleep survives kill(); the object that watches it stays. One thread uses it.
class Process {
 public:
  // `lock` (may be empty) is inherited by the child: a descriptor that holds the target's flock, so
  // that the lock lives as long as the child does, also when we die. Our copy is closed.
  static Result<Process> spawn(const Job& job, UniqueFd lock, SteadyTime now);
  // The same with another program in the worker's place: a path and its arguments.
  static Result<Process> spawn(const Job& job, UniqueFd lock, SteadyTime now,
                               std::vector<std::string> command);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process(Process&&) noexcept = default;
  Process& operator=(Process&&) noexcept = default;
  ~Process() = default;  // does not kill: the pidfd's owner decides

  pid_t pid() const { return pid_; }
  // Non-blocking; readable: on_report_readable().
  int report_fd() const { return report_fd_.get(); }
  // The pidfd; readable: the child has exited.
  int exit_fd() const { return pidfd_.get(); }

  // Reads what is there. False at the end, or when the child writes what no worker does (it is
  // killed then): stop watching report_fd().
  bool on_report_readable(SteadyTime now);
  void kill(SteadyTime now);  // SIGKILL; idempotent
  std::optional<SteadyTime> killed_at() const { return killed_at_; }

  // The last progress line, for whoever shows it.
  const std::optional<Progress>& progress() const { return progress_; }

  // What it has told of cleaning up, in its order.
  const std::vector<Cleaned>& cleaned() const { return cleaned_; }

  // When the child is overdue: limits.time + 5 s without the end of measuring, or 10 s without a
  // line in any other phase.
  SteadyTime deadline() const;

  // Reaps the child, once exit_fd() is readable, and returns what it reported. A child that died
  // without a report gets one made here: timed_out when we killed it for being overdue, else failed
  // with `worker_failed` and its exit status or signal in the message.
  ProbeReport collect(SteadyTime now);

  // For a child that kill() did not end: outcome and state `stuck`, with what it had reported.
  ProbeReport stuck_report(SteadyTime now) const;

 private:
  Process() = default;

  enum class Input { more, drained, ended };
  Input read_some(SteadyTime now);
  void take_lines(SteadyTime now);
  void take_line(std::string_view text, SteadyTime now);
  void distrust(const std::string& why, SteadyTime now);
  ProbeReport failed_report(Outcome outcome, Failure failure) const;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd report_fd_;
  std::string target_;
  std::string path_;
  ProbeSpec spec_;
  WallTime started_;
  SteadyTime last_line_;                     // the start, before the first line
  std::optional<SteadyTime> measure_start_;  // when the first line of that phase came
  std::optional<SteadyTime> killed_at_;
  bool was_overdue_ = false;  // when it was killed
  std::optional<Progress> progress_;
  std::vector<Cleaned> cleaned_;
  std::optional<ProbeReport> report_;
  std::string unread_;     // the beginning of a line
  std::string complaint_;  // why its output cannot be trusted; empty when it can
};

}  // namespace storage_probe::worker
