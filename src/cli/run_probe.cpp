// SPDX-License-Identifier: Apache-2.0
#include "cli/run_probe.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "worker/process.h"

namespace storage_probe::cli {
namespace {

constexpr std::chrono::seconds kDyingTime{2};  // what a child gets after SIGKILL

SteadyTime now() { return std::chrono::steady_clock::now(); }

int wait_ms(SteadyTime until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1000));
}

ProbeReport could_not_start(const Job& job, const Error& error) {
  ProbeReport report;
  report.target = job.target.name;
  report.path = job.target.path.string();
  report.spec = job.spec;
  report.outcome = Outcome::failed;
  report.failure = Failure{"worker_failed", error.message};
  report.started = report.ended = std::chrono::system_clock::now();
  return report;
}

// Waits for the child to say something, or to end; its report once it has ended.
std::optional<ProbeReport> listen(worker::Process& process, bool& reports, SteadyTime until,
                                  const std::function<void(const Progress&)>& progress) {
  // A negative descriptor is ignored by poll.
  std::array<pollfd, 2> watched{pollfd{process.exit_fd(), POLLIN, 0},
                                pollfd{reports ? process.report_fd() : -1, POLLIN, 0}};
  if (::poll(watched.data(), watched.size(), wait_ms(until)) <= 0) return std::nullopt;
  if (watched[1].revents != 0) {
    reports = process.on_report_readable(now());
    if (process.progress()) progress(*process.progress());
    return std::nullopt;
  }
  return watched[0].revents != 0 ? std::optional(process.collect(now())) : std::nullopt;
}

}  // namespace

ProbeReport run_probe(const Job& job, UniqueFd lock,
                      const std::function<void(const Progress&)>& progress) {
  auto process = worker::Process::spawn(job, std::move(lock), now());
  if (!process) return could_not_start(job, process.error());
  bool reports = true;
  while (true) {
    const auto killed = process->killed_at();
    const SteadyTime until = killed ? *killed + kDyingTime : process->deadline();
    if (now() >= until) {
      if (killed) return process->stuck_report(now());
      process->kill(now());
      continue;
    }
    if (auto report = listen(*process, reports, until, progress)) return *std::move(report);
  }
}

}  // namespace storage_probe::cli
