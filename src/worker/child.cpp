// SPDX-License-Identifier: Apache-2.0
#include "worker/child.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "wire/job.h"
#include "worker/clean_up.h"
#include "worker/confine.h"
#include "worker/io_priority.h"
#include "worker/probe_run.h"
#include "worker/reporter.h"
#include "worker/target_lock.h"

namespace storage_probe::worker {
namespace {

Result<Job> read_job(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  while (text.size() <= wire::kMaxJob.value) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unexpected(system_error(errno).in("read the job"));
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return wire::decode_job(text);
}

constexpr std::chrono::minutes kLayoutCpu{10};
constexpr unsigned kSubmitters = 8;

// No run comes near these: they end a worker that goes round in circles or writes without end.
ProcessLimits limits_of(const Job& job) {
  // Without a size of its own a probe file has up to 1 GiB, an older one up to twice that.
  const Bytes largest{2 * std::max(job.target.file.size.value_or(kGiB), kGiB).value};
  return {kLayoutCpu + job.spec.longest() * kSubmitters, largest};
}

// A target whose lock another process has is as good as stuck: nobody else may go there.
ProbeReport without_lock(const Job& job, const Error& error) {
  const bool is_held = error.code == Errc::busy;
  ProbeReport report;
  report.target = job.target.name;
  report.path = job.target.path.empty() ? job.target.device : job.target.path;
  report.spec = job.spec;
  report.outcome = Outcome::failed;
  report.state = is_held ? TargetState::stuck : TargetState::unknown;
  report.failure = Failure{is_held ? "busy" : "worker_failed", error.message};
  report.started = report.ended = std::chrono::system_clock::now();
  return report;
}

}  // namespace

int run_worker(int in, int out) {
  ::signal(SIGPIPE, SIG_IGN);  // a parent that is gone is an error of write(2)
  ::signal(SIGALRM, SIG_DFL);
  const auto job = read_job(in);
  if (!job) {
    std::fprintf(stderr, "worker: %s\n", job.error().message.c_str());
    return 1;
  }
  const Reporter reporter(out, job->spec.limits.time);
  reporter.enter(Phase::open);
  // Here and not in the daemon, which must not wait for the disk that the lock file is on. It is
  // held to the very end, by a worker that cannot die, too.
  UniqueFd lock;
  if (!job->lock_directory.empty()) {
    auto taken = lock_target(job->lock_directory, job->target.name);
    if (!taken) {
      reporter.finish(without_lock(*job, taken.error()));
      return 0;
    }
    lock = *std::move(taken);
  }
  // Where a kernel or a container refuses one of these, the run goes on without it.
  static_cast<void>(set_io_priority(job->target.io_priority));
  static_cast<void>(limit_process(limits_of(*job)));
  static_cast<void>(restrict_system_calls());
  switch (job->errand) {
    case Errand::probe: {
      ProbeRun run(*job, reporter);
      reporter.finish(run.execute());
      return 0;
    }
    case Errand::clean_up:
      reporter.finish(clean_up(*job, reporter));
      return 0;
  }
  return 1;
}

}  // namespace storage_probe::worker
