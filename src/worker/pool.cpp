// SPDX-License-Identifier: Apache-2.0
#include "worker/pool.h"

#include <algorithm>
#include <utility>

namespace storage_probe::worker {
namespace {

using std::chrono::seconds;

// Between SIGKILL and the finding that the kernel cannot end the child.
constexpr seconds kTimeToDie{2};

}  // namespace

Pool::Pool(std::filesystem::path lock_directory) : lock_directory_(std::move(lock_directory)) {}

Result<Pool::Watch> Pool::start(const Job& job, SteadyTime now) {
  const std::string& target = job.target.name;
  if (has(target)) {
    return Unexpected(Error{Errc::busy, "target " + target + ": its last run has not ended"});
  }
  Job with_lock = job;
  with_lock.lock_directory = lock_directory_;
  auto process = Process::spawn(with_lock, {}, now);
  if (!process) return Unexpected(process.error().in("target " + target));
  const Watch watch{process->report_fd(), process->exit_fd()};
  children_.emplace(target, Child{*std::move(process)});
  return watch;
}

bool Pool::on_report_readable(const std::string& target, SteadyTime now) {
  const auto child = children_.find(target);
  return child != children_.end() && child->second.process.on_report_readable(now);
}

std::optional<ProbeReport> Pool::on_exit(const std::string& target, SteadyTime now) {
  const auto child = children_.find(target);
  if (child == children_.end()) return std::nullopt;
  std::optional<ProbeReport> report = child->second.process.collect(now);
  if (child->second.is_stuck) report.reset();
  children_.erase(child);
  return report;
}

std::vector<ProbeReport> Pool::tick(SteadyTime now) {
  std::vector<ProbeReport> reports;
  for (auto& [target, child] : children_) {
    if (child.is_stuck) continue;
    if (const auto killed_at = child.process.killed_at()) {
      if (now < *killed_at + kTimeToDie) continue;
      child.is_stuck = true;
      reports.push_back(child.process.stuck_report(now));
    } else if (now >= child.process.deadline()) {
      child.process.kill(now);
    }
  }
  return reports;
}

void Pool::kill(const std::string& target, SteadyTime now) {
  const auto child = children_.find(target);
  if (child != children_.end()) child->second.process.kill(now);
}

void Pool::kill_all(SteadyTime now) {
  for (auto& [target, child] : children_) child.process.kill(now);
}

unsigned Pool::stuck() const {
  return static_cast<unsigned>(std::count_if(
      children_.begin(), children_.end(), [](const auto& entry) { return entry.second.is_stuck; }));
}

unsigned Pool::running() const { return static_cast<unsigned>(children_.size()) - stuck(); }

}  // namespace storage_probe::worker
