// SPDX-License-Identifier: Apache-2.0
#include "worker/probe_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "budget/metering.h"
#include "engine/layout.h"
#include "engine/leftovers.h"
#include "engine/managed_file.h"
#include "targets/device_watch.h"
#include "targets/host.h"
#include "targets/resolve.h"
#include "worker/confine.h"
#include "worker/contention.h"
#include "worker/device_activity.h"
#include "worker/mount_facts.h"

namespace storage_probe::worker {
namespace {

// How long a layout waits for others to leave the device before it gives up.
constexpr std::chrono::minutes kLayoutPatience{5};
// Of latency probes, on all hosts of a shared mount together, per second.
constexpr double kFleetRate = 200;

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
  settle_with_fleet();
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
  boot_id_ = targets::read_boot_id(job_.procfs);
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
      if (targets::is_shared(job_.target, report_.identity.fs_type)) {
        if (auto refused = agree_with_fleet(*directory)) return *std::move(refused);
      }
      return find_or_lay_out(*directory);
  }
  return worker_failed({Errc::invalid, "probe file: no such mode"});
}

ProbeRun::OpenedFile ProbeRun::find_or_lay_out(const engine::CheckedDirectory& directory) {
  auto found = engine::ProbeFile::find(directory, request());
  if (!found) return found.failure();
  if (!*found) return fleet_ ? lay_out_on_turn(directory) : lay_out(directory);
  if (job_.spec.writes()) {
    if (auto refused = engine::check_writable(directory)) return *refused;
  }
  return **std::move(found);
}

// Nothing of ours is looked for before the other hosts leave it to this one.
std::optional<Failure> ProbeRun::agree_with_fleet(const engine::CheckedDirectory& directory) {
  if (auto failure = engine::check_data_directory(directory, job_.target.file)) return failure;
  if (auto failure = engine::check_writable(directory)) return failure;
  reporter_.enter(Phase::lease);
  auto beside = engine::ManagedFile::create(directory, request());
  if (!beside) return beside.failure();
  auto fleet = SharedMount::open(*beside, job_, boot_id_);
  if (!fleet) return fleet.failure();
  fleet_ = *std::move(fleet);
  const Usage worst_case = job_.fleet ? job_.fleet->worst_case : Usage{};
  if (job_.spec.kind == Kind::latency) {
    auto refused = put_off(fleet_->pay(worst_case));
    job_.spec.rate =
        std::min(job_.spec.rate, kFleetRate / static_cast<double>(fleet_->hosts_seen()));
    return refused;
  }
  if (auto refused = put_off(fleet_->take_turn(worst_case))) return refused;
  engine::remove_leftovers(*beside,
                           [this](const std::string& host) { return fleet_->is_known(host); });
  return std::nullopt;
}

std::optional<Failure> ProbeRun::put_off(std::optional<SharedMount::Refusal> refusal) {
  if (!refusal) return std::nullopt;
  report_.deferral = refusal->deferral;
  return std::move(refusal->failure);
}

// A latency probe has no turn yet, and another host may lay the file out until it has.
ProbeRun::OpenedFile ProbeRun::lay_out_on_turn(const engine::CheckedDirectory& directory) {
  reporter_.enter(Phase::lease);
  const Usage cost = job_.fleet ? job_.fleet->layout : Usage{};
  const bool has_turn = job_.spec.kind == Kind::capacity;
  if (auto refused = put_off(has_turn ? fleet_->pay(cost) : fleet_->take_turn(cost)))
    return *std::move(refused);
  if (has_turn) return lay_out(directory);
  auto found = engine::ProbeFile::find(directory, request());
  if (!found) return found.failure();
  OpenedFile file = *found ? OpenedFile(**std::move(found)) : lay_out(directory);
  fleet_->end_turn();
  return file;
}

void ProbeRun::settle_with_fleet() {
  if (!fleet_) return;
  reporter_.enter(Phase::lease);
  // What broke off has spent nobody knows what, and so all of it.
  if (!report_.failure || report_.failure->code != "worker_failed")
    fleet_->settle(budget::metered_charge_of(job_.target.volume.type, report_));
  fleet_->end_turn();
}

ProbeRun::OpenedFile ProbeRun::lay_out(const engine::CheckedDirectory& directory) {
  reporter_.enter(Phase::layout);
  const targets::DeviceWatch device(report_.identity, {job_.procfs, job_.sysfs});
  BusyWatch busy(job_.target);
  const auto started = std::chrono::steady_clock::now();
  engine::LayoutOptions options{job_.layout_allowance, job_.layout_rate, {}, job_.layout_per_day};
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
          job_.spec.writes() ? engine::Access::write : engine::Access::read, fleet_.has_value()};
}

std::optional<Failure> ProbeRun::measure() {
  measuring_.emplace(job_, reporter_, *file_, report_.identity);
  Measuring::Outcome outcome = measuring_->execute();
  report_.spec = std::move(outcome.spec);
  report_.engine = outcome.attempt.engine;
  report_.engine_note = std::move(outcome.attempt.engine_note);
  report_.measured = std::move(outcome.attempt.measured);
  report_.device = std::move(outcome.attempt.findings.device);
  report_.cgroup_limit = std::move(outcome.attempt.findings.facts.cgroup);
  report_.doubts = std::move(outcome.doubts);
  return std::move(outcome.failure);
}

}  // namespace storage_probe::worker
