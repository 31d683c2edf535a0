// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/process.h"

namespace storage_probe::worker {

// The children of the daemon, at most one a target, keyed by its name. Owned by the service, used
// on its thread only, and passive: the owner watches descriptors and a timer, and calls in.
//
//   start()            the run begins; watch both descriptors of the Watch
//   report readable    on_report_readable(); false: stop watching report_fd
//   exit readable      stop watching both, then on_exit(): the descriptors are closed in it
//   timer              each second: tick()
//
// A run hands out exactly one report, from on_exit() or, when the child survives SIGKILL for 2 s,
// from tick(). A stuck child stays here, watched, until it dies; until then start() refuses its
// target. The destructor kills nobody: what lives holds its target's lock, by which a later daemon
// knows.
class Pool {
 public:
  struct Watch {
    int report_fd = -1;
    int exit_fd = -1;
  };

  explicit Pool(std::filesystem::path lock_directory);  // `run` under --storage.path

  // Errc::busy: a child of ours has the target. That another process has it the child finds, and
  // reports: failure code `busy`, state `stuck`.
  Result<Watch> start(const Job& job, SteadyTime now);
  bool on_report_readable(const std::string& target, SteadyTime now);
  // Reaps. Empty when the run was reported as stuck before: the target is free again.
  std::optional<ProbeReport> on_exit(const std::string& target, SteadyTime now);

  // Kills the overdue, and returns the reports of those that have just become stuck.
  std::vector<ProbeReport> tick(SteadyTime now);

  // SIGKILL. The child's end comes through on_exit(), or tick(), all the same.
  void kill(const std::string& target, SteadyTime now);
  void kill_all(SteadyTime now);

  bool has(const std::string& target) const { return children_.contains(target); }
  unsigned running() const;  // without the stuck
  unsigned stuck() const;

 private:
  struct Child {
    Process process;
    bool is_stuck = false;
  };

  std::filesystem::path lock_directory_;
  std::map<std::string, Child> children_;
};

}  // namespace storage_probe::worker
