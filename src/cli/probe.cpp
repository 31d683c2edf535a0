// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/bars.h"
#include "cli/commands.h"
#include "cli/fio_file.h"
#include "cli/judged_run.h"
#include "cli/probe_table.h"
#include "cli/run_probe.h"
#include "compliance/terms.h"
#include "config/config.h"
#include "model/file_size.h"
#include "schedule/plan.h"
#include "service/promise_files.h"
#include "service/surroundings.h"
#include "targets/mountinfo.h"
#include "targets/resolve.h"
#include "wire/result.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

constexpr std::chrono::seconds kLockWait{15};
constexpr std::chrono::milliseconds kLockRetry{100};
constexpr const char* kOtherUser =
    ": run it as the exporter's user, or give --storage.path a directory of your own";

// What one invocation runs: a target and its probes, and what they are judged by.
struct Task {
  Target target;
  std::vector<ProbeSpec> specs;
  VolumeSpec said;  // of the volume, by the operator
  Catalogue catalogue;
  Promise instance;
  PromiseBook book;
};

Terms terms_of(const Task& task, const MountIdentity& identity) {
  return compliance::terms_of(task.said, identity, task.catalogue, task.book, task.instance);
}

// What the mount table tells of a path before a probe has looked.
MountIdentity identity_of(const Target& target, const CommonOptions& common) {
  const auto mounts = targets::read_mountinfo(common.procfs);
  const auto* mount = mounts ? targets::find_by_path(*mounts, target.path) : nullptr;
  return mount == nullptr ? MountIdentity{} : targets::resolve(*mount, *mounts, {common.sysfs});
}

// A run is as long and as deep as what is promised of the volume asks for.
void follow_promise(Task& task, const CommonOptions& common) {
  const Terms terms = terms_of(task, identity_of(task.target, common));
  task.target = config::with_promise(task.target, terms.promise());
}

Error usage(const std::string& message) { return {Errc::invalid, message}; }

std::string known_presets() {
  std::string names;
  for (const std::string_view name : preset_names()) {
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

Result<Task> task_for_path(const ProbeOptions& options) {
  Task task;
  task.catalogue = config::embedded_default("/").catalogue;
  task.target.path = std::filesystem::absolute(options.subject).lexically_normal();
  if (!task.target.path.has_filename()) task.target.path = task.target.path.parent_path();
  task.target.any_directory = true;
  task.target.file.mode = ProbeFileSpec::Mode::unnamed;
  follow_promise(task, options.common);
  const std::vector<std::string> names =
      options.all ? std::vector<std::string>{"latency", "randread", "seqread"}
                  : std::vector<std::string>{options.probe};
  for (const std::string& name : names) {
    const ProbeSpec* preset = find_preset(name);
    if (preset == nullptr) {
      return Unexpected(usage("--probe: no probe \"" + name + "\": choose " + known_presets()));
    }
    task.specs.push_back(*preset);
  }
  return task;
}

Result<ProbeSpec> spec_of(const Target& target, const std::string& name) {
  for (const PlannedProbe& planned : target.probes) {
    if (planned.spec.name == name) return planned.spec;
  }
  if (const ProbeSpec* preset = find_preset(name)) return *preset;
  return Unexpected(usage("--probe: target " + target.name + " has no probe \"" + name +
                          "\", and no preset is called so: choose " + known_presets()));
}

Result<Task> task_for_target(const ProbeOptions& options) {
  if (options.common.config_file.empty()) {
    return Unexpected(usage("\"" + options.subject + "\" is a target's name, which needs " +
                            "--config.file; a path needs a / (./" + options.subject + ")"));
  }
  if (options.keep_file) {
    return Unexpected(
        usage("--keep-file is for a path, whose file would be gone afterwards: a "
              "target keeps its probe file anyway, so leave it out"));
  }
  config::Loaded loaded = config::load(options.common.config_file);
  for (const std::string& error : loaded.errors) std::fprintf(stderr, "%s\n", error.c_str());
  if (!loaded.errors.empty()) return Unexpected(usage("the configuration has errors"));
  loaded.config =
      service::with_found_targets(loaded.config, options.common.procfs, options.common.sysfs);
  auto book = service::read_promise_files(loaded.config.promise_files);
  if (!book) return Unexpected(usage(book.error().message));
  const Target* const target = config::find_target(loaded.config, options.subject);
  if (target == nullptr) {
    return Unexpected(
        usage("no target \"" + options.subject + "\" in " + options.common.config_file.string()));
  }
  Task task{*target, {}, target->volume, loaded.config.catalogue, loaded.config.instance, *book};
  follow_promise(task, options.common);
  if (options.all) {
    for (const PlannedProbe& planned : task.target.probes) task.specs.push_back(planned.spec);
    return task;
  }
  auto spec = spec_of(task.target, options.probe);
  if (!spec) return Unexpected(spec.error());
  task.specs.push_back(std::move(*spec));
  return task;
}

Result<Task> task_of(const ProbeOptions& options) {
  const bool is_path = options.subject.find('/') != std::string::npos;
  auto task = is_path ? task_for_path(options) : task_for_target(options);
  if (!task) return task;
  for (const ProbeSpec& spec : task->specs) {
    if (spec.writes() && !options.writes && !task->target.writes) {
      return Unexpected(usage("probe " + spec.name + " writes: allow it with --writes"));
    }
  }
  task->target.writes = task->target.writes || options.writes;
  return task;
}

Result<Job> job_for(const Task& task, const ProbeSpec& spec, const ProbeOptions& options) {
  Job job;
  job.target = task.target;
  job.spec = spec;
  if (spec.kind == Kind::capacity) {
    job.depth_is_automatic = !spec.queue_depth;
    job.spec.queue_depth = schedule::queue_depth(spec, task.target.volume, std::nullopt);
  }
  job.layout_allowance = kUnlimited;
  job.keep_file = options.keep_file;
  job.yields = true;
  job.procfs = options.common.procfs;
  job.sysfs = options.common.sysfs;
  // An unnamed file needs no name, so a machine without an id needs no state directory.
  const bool named = task.target.file.mode == ProbeFileSpec::Mode::managed || options.keep_file;
  if (!named) return job;
  auto id = host_id_of(options.common);
  if (!id) return Unexpected(id.error());
  job.host_id = *id;
  return job;
}

// The daemon's child may have the target just now: a probe is short, wait for it.
Result<UniqueFd> wait_for_lock(const ProbeOptions& options, const std::string& target) {
  const auto until = std::chrono::steady_clock::now() + kLockWait;
  while (true) {
    auto lock = worker::lock_target(options.common.storage_path / "run", target);
    if (lock || lock.error().code != Errc::busy) return lock;
    if (std::chrono::steady_clock::now() >= until) return lock;
    std::this_thread::sleep_for(kLockRetry);
  }
}

ProbeReport refused(const Job& job, const std::string& code, const std::string& message) {
  ProbeReport report;
  report.target = job.target.name;
  report.path = job.target.path.empty() ? job.target.device.string() : job.target.path.string();
  report.spec = job.spec;
  report.failure = Failure{code, message};
  report.started = report.ended = std::chrono::system_clock::now();
  return report;
}

Stream stream_of(int fd) { return isatty(fd) == 1 ? Stream::terminal : Stream::other; }

ProbeReport run_one(const Job& job, const ProbeOptions& options) {
  UniqueFd lock;
  if (!job.target.name.empty()) {
    auto taken = wait_for_lock(options, job.target.name);
    if (!taken) {
      const Error& error = taken.error();
      const bool is_denied = error.code == Errc::denied;
      return refused(job, error.code == Errc::busy ? "busy" : "worker_failed",
                     error.message + (is_denied ? kOtherUser : ""));
    }
    lock = std::move(*taken);
  }
  const bool show =
      options.output == OutputFormat::table && can_overwrite(stream_of(STDERR_FILENO), ::getenv);
  ProbeReport report = run_probe(job, std::move(lock), [&](const Progress& progress) {
    if (show) {
      std::fprintf(stderr, "\r\x1b[K%s", progress_line(job.spec.name, progress).c_str());
    }
  });
  if (show) std::fputs("\r\x1b[K", stderr);
  return report;
}

void print(const JudgedRun& run, OutputFormat format) {
  if (format == OutputFormat::json) {
    std::printf("%s\n", wire::result_json(run.report, run.promise, run.judgement).c_str());
  } else if (run.report.outcome == Outcome::ok) {
    const Style style = style_for(stream_of(STDOUT_FILENO), ::getenv);
    std::fputs(probe_table(run.report, run.judgement, style).c_str(), stdout);
  } else {
    std::fputs(failure_line(run.report).c_str(), stderr);
  }
  std::fflush(stdout);
}

int complain(const Error& error, int code) {
  std::fprintf(stderr, "storage_probe_exporter: %s\n", error.message.c_str());
  return code;
}

// What the probe file is called, as far as the mount table tells.
std::string file_name(const Job& job, const CommonOptions& common) {
  const bool shared = targets::is_shared(job.target, identity_of(job.target, common).fs_type);
  return shared ? kSharedProbeFile : job.host_id;
}

// Prints a line for each probe and runs none.
int print_fio(const Task& task, const ProbeOptions& options) {
  for (const ProbeSpec& spec : task.specs) {
    const auto job = job_for(task, spec, options);
    if (!job) return complain(job.error(), kUsage);
    const auto file = fio_file_for(job->target, job->spec, file_name(*job, options.common));
    if (!file) return complain(file.error(), kFailed);
    const auto line = fio_line(job->spec, job->target.engine, *file);
    if (!line) return complain(line.error(), kUsage);
    std::printf("%s\n", line->c_str());
  }
  return kDone;
}

}  // namespace

int probe(const ProbeOptions& options) {
  signal(SIGPIPE, SIG_IGN);  // a worker that dies before it has its job is an error code
  const auto task = task_of(options);
  if (!task) return complain(task.error(), kUsage);
  if (options.print_fio) return print_fio(*task, options);
  int worst = kDone;
  for (const ProbeSpec& spec : task->specs) {
    const auto job = job_for(*task, spec, options);
    if (!job) {
      return complain(job.error(), job.error().code == Errc::invalid ? kUsage : kFailed);
    }
    const JudgedRun run =
        run_and_judge([&] { return run_one(*job, options); },
                      [&](const ProbeReport& report) { return terms_of(*task, report.identity); });
    print(run, options.output);
    worst = worse(worst, exit_code(run));
  }
  return worst;
}

}  // namespace storage_probe::cli
