// SPDX-License-Identifier: Apache-2.0
#include "worker/probe_run.h"

#include <sys/resource.h>

#include <utility>

#include "engine/layout.h"
#include "targets/device_watch.h"
#include "targets/resolve.h"
#include "worker/confine.h"
#include "worker/contention.h"
#include "worker/device_activity.h"
#include "worker/mount_facts.h"

namespace storage_probe::worker {
namespace {

// How long a layout waits for others to leave the device before it gives up.
constexpr std::chrono::minutes kLayoutPatience{5};

Failure worker_failed(const Error& error) { return {"worker_failed", error.message}; }

// The last line of defence: whatever asked for this run, without leave nothing is written.
std::optional<Failure> refuse_writes(const Job& job) {
  if (!job.spec.writes()) return std::nullopt;
  const bool is_ours =
      job.target.device.empty() && job.target.file.mode != ProbeFileSpec::Mode::existing;
  if (is_ours && job.target.writes) return std::nullopt;
  return engine::fail(TargetState::read_only,
                      "probe " + job.spec.name + " writes, which target " + job.target.name +
                          (is_ours ? " does not allow: set writes" : " never allows"));
}

// What the run still opens by name, besides what is beneath its directory.
void confine_files(const Job& job, int writable) {
  const std::filesystem::path procfs = job.procfs;
  // Refused or unknown to this kernel: a probe less well kept, and no failure.
  static_cast<void>(restrict_files(writable, {procfs / "self", procfs / "stat", job.sysfs}));
}

// By this process, as the kernel accounts it: in units of 512 bytes whatever the device has.
Bytes written_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {static_cast<std::uint64_t>(usage.ru_oublock) * 512};
}

}  // namespace

ProbeReport ProbeRun::execute() {
  report_.target = job_.target.name;
  report_.path = job_.target.path.empty() ? job_.target.device : job_.target.path;
  report_.spec = job_.spec;
  report_.started = std::chrono::system_clock::now();
  report_.failure = prepare();
  if (!report_.failure) {
    report_.state = TargetState::ready;
    report_.failure = measure();
  }
  report_.outcome = report_.failure ? Outcome::failed : Outcome::ok;
  if (report_.failure) {
    report_.state = parse_target_state(report_.failure->code).value_or(report_.state);
  }
  report_.ended = std::chrono::system_clock::now();
  return report_;
}

std::optional<Failure> ProbeRun::prepare() {
  reporter_.enter(Phase::open);
  if (auto refused = refuse_writes(job_)) return refused;
  OpenedFile file = job_.target.device.empty() ? open_on_mount() : open_device();
  if (!file) return file.failure();
  file_ = *std::move(file);
  report_.file_bytes = file_->size();
  report_.direct_io = true;
  return std::nullopt;
}

ProbeRun::OpenedFile ProbeRun::open_device() {
  OpenedFile file = engine::ProbeFile::open_device(job_.target.device);
  if (!file) return file;
  confine_files(job_, -1);
  reporter_.enter(Phase::preflight);
  report_.identity = targets::resolve_device(file->device_number(), job_.target.device, job_.sysfs);
  if (auto busy = yield_to_others()) return *std::move(busy);
  return file;
}

// The daemon knows before it starts a worker; a run by hand has to look.
std::optional<Failure> ProbeRun::yield_to_others() const {
  if (!job_.yields || job_.spec.kind != Kind::capacity) return std::nullopt;
  const targets::DeviceWatch device(report_.identity, {job_.procfs, job_.sysfs});
  const std::string why = find_others(job_.target, device);
  if (why.empty()) return std::nullopt;
  return Failure{"busy", device.name() + ": " + why +
                             ": try when it is quieter, or allow more in the target's busy"};
}

ProbeRun::OpenedFile ProbeRun::open_on_mount() {
  auto opened = engine::open_target(job_.target.path);
  if (!opened) return opened.failure();
  confine_files(job_, opened->fd.get());
  reporter_.enter(Phase::preflight);
  auto facts = find_mount_facts(*opened, job_.target, job_.procfs, job_.sysfs);
  if (!facts) return facts.failure();
  report_.identity = facts->identity;
  const auto directory = engine::check_mount(*std::move(opened), job_.target, *std::move(facts));
  if (!directory) return directory.failure();
  if (auto busy = yield_to_others()) return *std::move(busy);
  switch (job_.target.file.mode) {
    case ProbeFileSpec::Mode::existing:
      return engine::ProbeFile::open_existing(*directory, job_.target.file);
    case ProbeFileSpec::Mode::unnamed:
      if (!job_.keep_file) return lay_out(*directory);
      return find_or_lay_out(*directory);
    case ProbeFileSpec::Mode::managed:
      return find_or_lay_out(*directory);
  }
  return worker_failed({Errc::invalid, "probe file: no such mode"});
}

ProbeRun::OpenedFile ProbeRun::find_or_lay_out(const engine::CheckedDirectory& directory) {
  auto found = engine::ProbeFile::find(directory, request());
  if (!found) return found.failure();
  if (!*found) return lay_out(directory);
  if (job_.spec.writes()) {
    if (auto refused = engine::check_writable(directory)) return *refused;
  }
  return **std::move(found);
}

ProbeRun::OpenedFile ProbeRun::lay_out(const engine::CheckedDirectory& directory) {
  reporter_.enter(Phase::layout);
  const targets::DeviceWatch device(report_.identity, {job_.procfs, job_.sysfs});
  BusyWatch busy(job_.target);
  const auto started = std::chrono::steady_clock::now();
  engine::LayoutOptions options{job_.layout_allowance, job_.layout_rate, {}};
  options.on_progress = [&](double done) {
    const auto now = std::chrono::steady_clock::now();
    reporter_.say({Phase::layout, done, now - started, 0});
    const auto counters = device.read();
    if (!counters || !busy.is_busy({*counters, now}, written_so_far())) return engine::Pace::go_on;
    return now < *busy.busy_since() + kLayoutPatience ? engine::Pace::wait : engine::Pace::stop;
  };
  const bool has_name = job_.keep_file || job_.target.file.mode == ProbeFileSpec::Mode::managed;
  engine::Layout layout = has_name ? engine::lay_out(directory, request(), options)
                                   : engine::lay_out_unnamed(directory, request(), options);
  report_.layout = layout.spent;
  report_.layout_elapsed = layout.elapsed;
  return std::move(layout.file);
}

engine::FileRequest ProbeRun::request() const {
  return {job_.target.file, job_.host_id, job_.target.space,
          job_.spec.writes() ? engine::Access::write : engine::Access::read};
}

std::optional<Failure> ProbeRun::measure() {
  measuring_.emplace(job_, reporter_, *file_, report_.identity);
  Measuring::Outcome outcome = measuring_->execute();
  report_.spec = std::move(outcome.spec);
  report_.engine = outcome.attempt.engine;
  report_.engine_note = std::move(outcome.attempt.engine_note);
  report_.measured = std::move(outcome.attempt.measured);
  report_.device = std::move(outcome.attempt.findings.device);
  report_.doubts = std::move(outcome.doubts);
  return std::move(outcome.failure);
}

}  // namespace storage_probe::worker
