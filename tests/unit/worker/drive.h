// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/job.h"
#include "worker/process.h"

namespace storage_probe::test {

inline SteadyTime now() { return std::chrono::steady_clock::now(); }

// A probe of 50 reads of an unnamed file of 16 MiB in `directory`.
inline Job small_job(const std::filesystem::path& directory) {
  Job job;
  job.target.name = "db";
  job.target.path = directory;
  job.target.any_directory = true;
  job.target.file.mode = ProbeFileSpec::Mode::unnamed;
  job.target.file.size = Bytes{16 * kMiB.value};
  job.target.space = {0, Bytes{}};
  job.spec = *find_preset("randread");
  job.spec.queue_depth = 4;
  job.spec.limits = {std::chrono::seconds{2}, Bytes{}, Ops{50}};
  job.host_id = "0123456789abcdef";
  job.layout_allowance = kUnlimited;
  return job;
}

// Another program in the worker's place.
inline std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

inline bool wait_readable(int fd, int timeout_ms = 30'000) {
  pollfd polled{fd, POLLIN, 0};
  return ::poll(&polled, 1, timeout_ms) == 1;
}

// Serves the process as an event loop would, until it has exited or `until` has passed.
inline bool serve(worker::Process& process, SteadyTime until = now() + std::chrono::seconds{30}) {
  std::array<pollfd, 2> fds{pollfd{process.exit_fd(), POLLIN, 0},
                            pollfd{process.report_fd(), POLLIN, 0}};
  while (now() < until) {
    ::poll(fds.data(), fds.size(), 20);
    if (fds[1].revents != 0 && !process.on_report_readable(now())) fds[1].fd = -1;
    if (fds[0].revents != 0) return true;
  }
  return false;
}

// The report of a real worker.
inline ProbeReport run(const Job& job) {
  auto process = worker::Process::spawn(job, {}, now());
  if (!process) throw std::runtime_error(process.error().message);
  if (!serve(*process)) {
    process->kill(now());
    wait_readable(process->exit_fd());
  }
  return process->collect(now());
}

}  // namespace storage_probe::test
