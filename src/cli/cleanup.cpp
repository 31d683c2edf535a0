// SPDX-License-Identifier: Apache-2.0
// Every target is cleaned up in a worker of its own, all at once: a mount that hangs costs its
// worker's patience and nobody else's.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "config/config.h"
#include "service/surroundings.h"
#include "worker/process.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWorkingTime{25};  // after which no worker is waited for
constexpr seconds kDyingTime{2};     // what a child gets after SIGKILL
constexpr milliseconds kTick{200};

SteadyTime now() { return std::chrono::steady_clock::now(); }

int complain(const Error& error, int code) {
  std::fprintf(stderr, "storage_probe_exporter: %s\n", error.message.c_str());
  return code;
}

struct Worker {
  std::string target;
  worker::Process process;
  bool reports = true;  // its output has not ended
};

// As long as it lives, what is started has no stderr: a worker that cannot be killed would keep it
// open, and whoever reads ours to its end, a package's script for one, waiting.
class HiddenStderr {
 public:
  HiddenStderr() : kept_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    const UniqueFd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (kept_ && nothing) ::dup2(nothing.get(), STDERR_FILENO);
  }
  HiddenStderr(const HiddenStderr&) = delete;
  HiddenStderr& operator=(const HiddenStderr&) = delete;
  ~HiddenStderr() {
    if (kept_) ::dup2(kept_.get(), STDERR_FILENO);
  }

 private:
  UniqueFd kept_;
};

// "db: " for a target with a name, nothing for a file that is given by its path.
std::string prefix(const std::string& target) { return target.empty() ? "" : target + ": "; }

int say_failed(const std::string& target, const std::string& why) {
  std::fprintf(stderr, "%snot cleaned up: %s\n", prefix(target).c_str(), why.c_str());
  return kFailed;
}

int say_finished(const Worker& worker, const ProbeReport& report) {
  const std::string before = prefix(worker.target);
  bool is_told = false;
  for (const Cleaned& each : worker.process.cleaned()) {
    std::printf("%s%s %s: %s\n", before.c_str(), each.is_removed ? "removed" : "left",
                each.path.c_str(), each.what.c_str());
    is_told = is_told || (report.failure && each.what == report.failure->message);
  }
  std::fflush(stdout);
  if (report.outcome == Outcome::ok) {
    if (worker.process.cleaned().empty()) std::printf("%snothing to remove\n", before.c_str());
    return kDone;
  }
  if (is_told || !report.failure) return kFailed;
  return say_failed(worker.target, report.failure->message);
}

// Empty when it is worth waiting on.
std::optional<ProbeReport> end_of(worker::Process& process, SteadyTime give_up) {
  const auto killed = process.killed_at();
  if (killed && now() >= *killed + kDyingTime) return process.stuck_report(now());
  if (!killed && now() >= std::min(process.deadline(), give_up)) process.kill(now());
  pollfd exit{process.exit_fd(), POLLIN, 0};
  if (::poll(&exit, 1, 0) == 1) return process.collect(now());
  return std::nullopt;
}

void wait_for_any(const std::vector<Worker>& workers) {
  std::vector<pollfd> watched;
  for (const Worker& worker : workers) {
    watched.push_back({worker.process.exit_fd(), POLLIN, 0});
    watched.push_back({worker.reports ? worker.process.report_fd() : -1, POLLIN, 0});
  }
  ::poll(watched.data(), watched.size(), static_cast<int>(kTick.count()));
}

int wait_for_all(std::vector<Worker> workers) {
  const SteadyTime give_up = now() + kWorkingTime;
  int code = kDone;
  while (!workers.empty()) {
    wait_for_any(workers);
    std::erase_if(workers, [&](Worker& worker) {
      if (worker.reports) worker.reports = worker.process.on_report_readable(now());
      const auto report = end_of(worker.process, give_up);
      if (report) code = std::max(code, say_finished(worker, *report));
      return report.has_value();
    });
  }
  return code;
}

bool has_probe_file(const Target& target) {
  return target.device.empty() && target.file.mode == ProbeFileSpec::Mode::managed;
}

// The target's own lock, so that no run of the daemon is under way; without a state directory there
// is no daemon.
Result<UniqueFd> lock_of(const Job& job, const CommonOptions& common) {
  std::error_code ignored;
  if (job.target.name.empty() || !std::filesystem::exists(common.storage_path, ignored))
    return UniqueFd();
  auto lock = worker::lock_target(common.storage_path / "run", job.target.name);
  if (lock || lock.error().code != Errc::busy) return lock;
  return Unexpected(Error{Errc::busy, "a probe of it is running: stop the exporter, or try again"});
}

Result<worker::Process> start(const Job& job, const CommonOptions& common) {
  auto lock = lock_of(job, common);
  if (!lock) return Unexpected(lock.error());
  const HiddenStderr hidden;
  return worker::Process::spawn(job, *std::move(lock), now());
}

int clean_up(const std::vector<Job>& jobs, const CommonOptions& common) {
  int code = kDone;
  std::vector<Worker> workers;
  for (const Job& job : jobs) {
    auto process = start(job, common);
    if (process)
      workers.push_back({job.target.name, *std::move(process)});
    else
      code = say_failed(job.target.name, process.error().message);
  }
  return std::max(code, wait_for_all(std::move(workers)));
}

Job job_for(const Target& target, const CommonOptions& common, const std::string& host_id) {
  Job job;
  job.errand = Errand::clean_up;
  job.target = target;
  job.host_id = host_id;
  job.procfs = common.procfs;
  job.sysfs = common.sysfs;
  return job;
}

// The target whose probe directory the file is in; one that is not configured (any more) is known
// by the directory's name.
Result<Target> target_of(const std::filesystem::path& file, const std::vector<Target>& targets) {
  const std::filesystem::path directory = file.parent_path();
  for (const Target& target : targets) {
    if (has_probe_file(target) &&
        (target.path / target.file.directory).lexically_normal() == directory)
      return target;
  }
  Target target;
  target.path = directory.parent_path();
  target.any_directory = true;
  if (directory.filename() == target.file.directory) return target;
  return Unexpected(
      Error{Errc::invalid, "--force: " + file.string() +
                               " is in no probe directory: neither a target's nor one "
                               "that is called " +
                               target.file.directory});
}

Result<Job> forced_job(const CleanupOptions& options, const std::vector<Target>& targets,
                       const std::string& host_id) {
  const auto file = std::filesystem::absolute(options.force).lexically_normal();
  const auto target = target_of(file, targets);
  if (!target) return Unexpected(target.error());
  Job job = job_for(*target, options.common, host_id);
  job.force = file.filename();
  return job;
}

}  // namespace

int cleanup(const CleanupOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  const CommonOptions& common = options.common;
  config::Loaded loaded = load_config(common);
  if (!loaded.errors.empty()) return kUsage;
  loaded.config = service::with_found_targets(loaded.config, common.procfs, common.sysfs);
  const auto id = host_id_of(common);
  if (!id) return complain(id.error(), id.error().code == Errc::invalid ? kUsage : kFailed);
  if (!options.force.empty()) {
    const auto job = forced_job(options, loaded.config.targets, *id);
    return job ? clean_up({*job}, common) : complain(job.error(), kUsage);
  }
  std::vector<Job> jobs;
  for (const Target& target : loaded.config.targets) {
    if (has_probe_file(target)) jobs.push_back(job_for(target, common, *id));
  }
  return clean_up(jobs, common);
}

}  // namespace storage_probe::cli
