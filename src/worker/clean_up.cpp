// SPDX-License-Identifier: Apache-2.0
#include "worker/clean_up.h"

#include <chrono>
#include <utility>

#include "engine/cleanup.h"
#include "engine/preflight.h"
#include "worker/confine.h"
#include "worker/mount_facts.h"

namespace storage_probe::worker {
namespace {

std::optional<Failure> clean(const Job& job, const Reporter& reporter) {
  auto opened = engine::open_target(job.target.path);
  if (!opened) return opened.failure();
  const std::filesystem::path procfs = job.procfs;
  // Refused or unknown to this kernel: less well kept, and no failure.
  static_cast<void>(restrict_files(opened->fd.get(), {procfs / "self", job.sysfs}));
  reporter.enter(Phase::preflight);
  auto facts = find_mount_facts(*opened, job.target, job.procfs, job.sysfs);
  if (!facts) return facts.failure();
  const auto directory = engine::check_mount(*std::move(opened), job.target, *std::move(facts));
  if (!directory) return directory.failure();
  const engine::FileRequest request{job.target.file, job.host_id, job.target.space};
  const auto tell = [&](const Cleaned& cleaned) { reporter.say(cleaned); };
  if (!job.force.empty()) return engine::remove_by_force(*directory, request, job.force, tell);
  return engine::clean_up(*directory, request, tell);
}

}  // namespace

ProbeReport clean_up(const Job& job, const Reporter& reporter) {
  reporter.enter(Phase::open);
  ProbeReport report;
  report.target = job.target.name;
  report.path = job.target.path;
  report.started = std::chrono::system_clock::now();
  report.failure = clean(job, reporter);
  report.outcome = report.failure ? Outcome::failed : Outcome::ok;
  report.ended = std::chrono::system_clock::now();
  return report;
}

}  // namespace storage_probe::worker
