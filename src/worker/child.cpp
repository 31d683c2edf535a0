// SPDX-License-Identifier: Apache-2.0
#include "worker/child.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "wire/job.h"
#include "worker/confine.h"
#include "worker/probe_run.h"
#include "worker/reporter.h"

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

}  // namespace

int run_worker(int in, int out) {
  ::signal(SIGPIPE, SIG_IGN);  // a parent that is gone is an error of write(2)
  ::signal(SIGALRM, SIG_DFL);
  const auto job = read_job(in);
  if (!job) {
    std::fprintf(stderr, "worker: %s\n", job.error().message.c_str());
    return 1;
  }
  // Where a kernel or a container refuses one of these, the run goes on without it.
  static_cast<void>(limit_process(limits_of(*job)));
  static_cast<void>(restrict_system_calls());
  const Reporter reporter(out, job->spec.limits.time);
  ProbeRun run(*job, reporter);
  reporter.finish(run.execute());
  return 0;
}

}  // namespace storage_probe::worker
