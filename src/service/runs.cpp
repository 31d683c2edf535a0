// SPDX-License-Identifier: Apache-2.0
#include "service/runs.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "model/allowance.h"
#include "service/make_job.h"

namespace storage_probe::service {
namespace {

SteadyTime now() { return std::chrono::steady_clock::now(); }

constexpr std::chrono::minutes kSaveEvery{5};
// When a second opinion is asked for: what was in the way for a moment is over by then.
constexpr std::chrono::seconds kSecondOpinion{15};

std::string kernel_release() {
  utsname names{};
  return ::uname(&names) == 0 ? names.release : "";
}

// Whether the report is the child's own, so that what it says it used is known.
bool tells_its_usage(const ProbeReport& report) {
  if (report.outcome == Outcome::ok) return true;
  return report.outcome == Outcome::failed && report.failure &&
         report.failure->code != "worker_failed";
}

// The child found that its target's lock is another process's.
bool is_held_elsewhere(const ProbeReport& report) {
  return report.state == TargetState::stuck && report.failure && report.failure->code == "busy";
}

}  // namespace

Runs::Runs(EventLoop& loop, metrics::Recorder& recorder, Logger& logger, Settings settings,
           std::function<void()> changed)
    : loop_(loop),
      recorder_(recorder),
      settings_(std::move(settings)),
      changed_(std::move(changed)),
      logger_(logger),
      log_(logger),
      circumstances_(settings_.procfs, settings_.sysfs),
      verdicts_(recorder, logger, kernel_release()),
      pool_(settings_.storage_path / "run") {}

schedule::Facts Runs::facts() const {
  schedule::Facts facts = circumstances_.facts(now());
  facts.unpaid = ledger_->obstacle();
  for (const auto& [name, run] : runs_) {
    if (run.abandoned) facts.stuck.insert(name);  // its child is dying: not two on one target
  }
  for (const auto& [target, probe] : verdicts_.answered(facts.now))
    if (const auto id = find(target, probe)) facts.answered.insert(*id);
  return facts;
}

void Runs::drive() {
  if (!scheduler_ || !history_->is_settled()) return;  // files of the state directory are read
  start_paid();
  while (!stopping_ && settings_.mode == Mode::probe) {
    const schedule::Decision decision = scheduler_->next(facts());
    if (const auto* begin = std::get_if<schedule::Start>(&decision)) {
      pay_for(*begin);
    } else if (const auto* left_out = std::get_if<schedule::Skip>(&decision)) {
      skip(*left_out);
    } else {
      timer_.set_time(std::get<schedule::WaitUntil>(decision).when);
      break;
    }
  }
  changed_();
}

void Runs::skip(const schedule::Skip& skip) {
  const Target& target = config_.targets[skip.id.target];
  const std::string& probe = target.probes[skip.id.probe].spec.name;
  const std::string_view reason = schedule::to_text(skip.reason);
  recorder_.skipped(target.name, probe, reason);
  verdicts_.on_skip(target.name, probe, std::chrono::system_clock::now());
  log_.skipped(target.name, probe, reason, skip.detail);
}

void Runs::ask_for(const std::vector<Verdicts::Wish>& wishes) {
  for (const Verdicts::Wish& wish : wishes)
    if (const auto id = find(wish.target, wish.probe))
      scheduler_->request(*id, now() + kSecondOpinion);
}

Job Runs::job_for(const schedule::Start& start) const {
  const Target& target = config_.targets[start.id.target];
  Job job = make_job(target, target.probes[start.id.probe].spec, recorder_.find(target.name),
                     std::chrono::system_clock::now());
  job.host_id = settings_.host_id;
  job.layout_allowance = start.layout_allowance;
  job.fleet = fleet_terms(target, target.probes[start.id.probe], start.reservation.amount);
  job.procfs = settings_.procfs;
  job.sysfs = settings_.sysfs;
  return job;
}

void Runs::pay_for(const schedule::Start& start) {
  const Target& target = config_.targets[start.id.target];
  pending_[target.name] = {start, target.probes[start.id.probe].spec.name,
                           ledger_->note(start.reservation)};
}

void Runs::start_paid() {
  for (auto entry = pending_.begin(); entry != pending_.end();) {
    const bool is_paid = ledger_->is_durable(entry->second.ticket);
    if (!is_paid && ledger_->obstacle().empty()) {
      ++entry;
      continue;
    }
    const Pending pending = std::move(entry->second);
    entry = pending_.erase(entry);
    if (is_paid) {
      start(pending.start);
    } else {
      take_back(pending, schedule::Ending::not_ready);
      skip({pending.start.id, schedule::SkipReason::budget, ledger_->obstacle()});
    }
  }
}

// Nothing of it has been spent, whether or not the journal knows of it by now.
void Runs::take_back(const Pending& pending, schedule::Ending ending) {
  ledger_->settle(pending.start.reservation, {});
  scheduler_->on_finished(pending.start.id, ending, now());
}

void Runs::start(const schedule::Start& start) {
  const Target& target = config_.targets[start.id.target];
  const auto started = pool_.start(job_for(start), now());
  if (!started) return not_started(start, started.error());
  runs_[target.name] = {
      start.id, target.probes[start.id.probe].spec.name, start.reservation, {}, {}, false};
  circumstances_.run_begins(target.name);
  watch(target.name, *started);
}

void Runs::not_started(const schedule::Start& start, const Error& error) {
  const Target& target = config_.targets[start.id.target];
  ledger_->settle(start.reservation, {});
  scheduler_->on_finished(start.id, schedule::Ending::not_ready, now());
  log_.not_started(target.name, error.message, now());
}

// The target's lock says that a child of a daemon that died has it still: no run took place.
void Runs::held_elsewhere(const Run& run, const ProbeReport& report) {
  ledger_->settle(run.reservation, {});
  scheduler_->on_finished(run.id, schedule::Ending::not_ready, now());
  log_.not_started(report.target, report.failure->message, now());
  TargetStatus* const status = recorder_.find(report.target);
  if (status == nullptr) return;
  status->state = TargetState::stuck;
  status->message = report.failure->message;
  if (!status->stuck_since) status->stuck_since = std::chrono::system_clock::now();
}

void Runs::watch(const std::string& target, const worker::Pool::Watch& watch) {
  auto report = loop_.on_readable(watch.report_fd, [this, target] { on_report_readable(target); });
  auto exit = loop_.on_readable(watch.exit_fd, [this, target] { on_exit(target); });
  if (!report || !exit) {  // out of memory or descriptors: tick() ends what cannot be watched
    pool_.kill(target, now());
    return;
  }
  runs_[target].report_source = std::move(*report);
  runs_[target].exit_source = std::move(*exit);
}

void Runs::on_report_readable(const std::string& target) {
  if (!pool_.on_report_readable(target, now())) runs_[target].report_source = {};
}

void Runs::on_exit(const std::string& target) {
  auto node = runs_.extract(target);
  if (node.empty()) return;
  Run& run = node.mapped();
  // Before the pool closes their descriptors: the next child's get the same numbers, and would lose
  // their watch to the late end of this one.
  run.report_source = {};
  run.exit_source = {};
  const auto report = pool_.on_exit(target, now());
  circumstances_.set_free(target);
  circumstances_.run_ends(target);
  if (!run.abandoned && report) {
    finish(run, *report);
  } else if (!report) {  // reported as stuck before, and now free
    if (!run.abandoned) scheduler_->on_finished(run.id, schedule::Ending::finished, now());
    if (TargetStatus* status = recorder_.find(target)) {
      status->state = TargetState::unknown;
      status->message.clear();
      status->stuck_since.reset();
    }
  }
  drive();
}

void Runs::finish(const Run& run, const ProbeReport& report) {
  if (report.deferral) return put_off(run, report);
  if (is_held_elsewhere(report)) return held_elsewhere(run, report);
  const bool ready = report.state == TargetState::ready;
  ledger_->settle(run.reservation,
                  tells_its_usage(report) ? charge_of(report) : run.reservation.amount);
  scheduler_->on_finished(run.id, ready ? schedule::Ending::finished : schedule::Ending::not_ready,
                          now());
  recorder_.record(report);
  ask_for(verdicts_.on_run(report, history_.get(), now()));
  if (!is_absent(report.state, report.target)) log_.finished(report, now());
  if (TargetStatus* status = recorder_.find(report.target)) status->stuck_since.reset();
  if (const Target* target = config::find_target(config_, report.target)) {
    circumstances_.note_probe_file(*target, report.file_bytes);
    circumstances_.note_identity(*target, report.identity);
  }
}

// The hosts that share the mount leave no room for it now: neither a run nor a failure.
void Runs::put_off(const Run& run, const ProbeReport& report) {
  const bool soon = *report.deferral == Deferral::shared_lease;
  const std::string_view reason = to_text(*report.deferral);
  ledger_->settle(run.reservation, charge_of(report));
  scheduler_->on_finished(run.id, soon ? schedule::Ending::put_off : schedule::Ending::finished,
                          now());
  recorder_.skipped(report.target, run.probe, reason);
  verdicts_.on_skip(report.target, run.probe, report.ended);
  log_.skipped(report.target, run.probe, reason, report.failure ? report.failure->message : "");
}

// SIGKILL did not end it: the run is over, the child and its target are not.
void Runs::on_stuck(const ProbeReport& report) {
  const auto found = runs_.find(report.target);
  if (found == runs_.end()) return;
  circumstances_.set_stuck(report.target);
  ledger_->settle(found->second.reservation, found->second.reservation.amount);
  recorder_.record(report);
  verdicts_.on_run(report, history_.get(), now());
  log_.finished(report, now());
  if (TargetStatus* status = recorder_.find(report.target)) {
    status->stuck_since = std::chrono::system_clock::now();
  }
}

void Runs::tick() {
  ledger_->tick();
  circumstances_.sample(now());
  circumstances_.set_time_of_day(config_.windows, time_of_day(std::chrono::system_clock::now()));
  ask_for(verdicts_.on_seconds(circumstances_.seconds(), now()));
  for (const ProbeReport& report : pool_.tick(now())) on_stuck(report);
  if (now() - last_save_ >= kSaveEvery) {
    verdicts_.save(*history_, std::chrono::system_clock::now());
    last_save_ = now();
  }
  drive();
}

void Runs::stop() {
  stopping_ = true;
  for (const auto& [target, pending] : pending_) ledger_->settle(pending.start.reservation, {});
  pending_.clear();
  for (auto& [name, run] : runs_) {
    if (run.abandoned) continue;
    log_.stopped(name, run.probe);
    abandon(name, run, schedule::Ending::finished);
  }
}

void Runs::complete(std::vector<TargetStatus>& statuses) const {
  // After the wall clock stepped, the next run is still this far away.
  const auto wall = std::chrono::system_clock::now();
  for (std::size_t t = 0; t < statuses.size(); ++t) {
    TargetStatus& status = statuses[t];
    status.budget_limit = ledger_->ledger().allowance(status.name);
    status.budget_used = ledger_->ledger().in_use(status.name, now());
    if (settings_.mode == Mode::observe) continue;
    for (std::size_t p = 0; p < status.probes.size(); ++p) {
      const auto due = scheduler_->next_run({t, p});
      if (!due) continue;
      status.probes[p].next_run =
          wall + std::chrono::duration_cast<WallTime::duration>(*due - now());
    }
  }
  std::erase_if(statuses, [this](const TargetStatus& status) {
    return is_absent(status.state, status.name);
  });
}

// An optional target is silent until something is mounted at its path.
bool Runs::is_absent(TargetState state, const std::string& name) const {
  const Target* const target = config::find_target(config_, name);
  return target != nullptr && target->optional &&
         (state == TargetState::unknown || state == TargetState::not_mounted);
}

}  // namespace storage_probe::service
