// SPDX-License-Identifier: Apache-2.0
// What a new configuration does to the runs.
#include <algorithm>
#include <chrono>
#include <utility>

#include "model/allowance.h"
#include "schedule/cost.h"
#include "service/runs.h"

namespace storage_probe::service {
namespace {

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

Result<void> Runs::configure(const config::Config& config,
                             const std::map<std::string, Terms>& terms) {
  if (scheduler_) {
    abandon_changed(config);
    forget_changed(config);
    scheduler_->reload(config, now());
  } else {
    if (auto begun = begin(); !begun) return begun;
    scheduler_.emplace(config, ledger_->ledger(), settings_.host_id, now());
  }
  config_ = config;
  recorder_.configure(config_.targets);
  prepare_targets(terms);
  for (auto& [target, run] : runs_) {
    if (const auto id = find(target, run.probe); id && !run.abandoned) run.id = *id;
  }
  for (auto& [target, pending] : pending_) {
    if (const auto id = find(target, pending.probe)) pending.start.id = *id;
  }
  const auto identities = circumstances_.learn_devices(config_);
  if (settings_.mode == Mode::observe) {  // no run will tell
    for (const auto& [name, identity] : identities) recorder_.find(name)->identity = identity;
  }
  circumstances_.set_time_of_day(config_.windows, time_of_day(std::chrono::system_clock::now()));
  note_plan();
  apply_holds();
  drive();
  return {};
}

void Runs::prepare_targets(const std::map<std::string, Terms>& terms) {
  for (const Target& target : config_.targets) {
    ledger_->set_allowance(target.name, allowance_of(target.budget, target.volume.promise));
    circumstances_.note_probe_file(target, recorder_.find(target.name)->file_bytes);
    const auto found = terms.find(target.name);
    verdicts_.set_terms(target, found == terms.end() ? Terms{} : found->second);
  }
}

void Runs::note_plan() {
  const PlanCost cost = schedule::cost_of(config_);
  for (const TargetCost& target : cost.targets)
    recorder_.find(target.target)->planned_per_day = target.day;
  log_.planned(schedule::summary(cost));
}

Result<void> Runs::begin() {
  auto timer = loop_.timer([this] { drive(); });
  if (!timer) return Unexpected(timer.error());
  auto ledger = DurableLedger::open(loop_, settings_.storage_path, logger_, [this] { drive(); });
  if (!ledger) return Unexpected(ledger.error());
  auto history = History::open(loop_, settings_.storage_path, logger_,
                               [this](const auto& records) { take_history(records); });
  if (!history) return Unexpected(history.error());
  timer_ = *std::move(timer);
  ledger_ = *std::move(ledger);
  history_ = *std::move(history);
  return {};
}

// A probe that an earlier daemon ran a moment ago has had its turn.
void Runs::take_history(const std::vector<HistoryRecord>& records) {
  const WallTime wall = std::chrono::system_clock::now();
  verdicts_.remember(records, wall);
  for (const HistoryRecord& record : records) {
    const auto* const run = std::get_if<RunRecord>(&record);
    if (run == nullptr || run->evidence == Evidence::passive || run->ended > wall) continue;
    if (const auto id = find(run->target, run->probe))
      scheduler_->note_earlier_run(*id, wall - run->ended, now());
  }
  if (tell_history_) tell_history_(records);
  drive();
}

// What was learned of a target that is gone or differs; only what one that stays has spent is kept.
void Runs::forget_changed(const config::Config& next) {
  for (const Target& target : config_.targets) {
    const Target* const after = config::find_target(next, target.name);
    if (after != nullptr && *after == target) continue;
    circumstances_.forget_devices(target.name);
    log_.forget(target.name);
    if (after != nullptr) continue;
    ledger_->remove(target.name);
    verdicts_.forget(target.name);
    history_->forget(target.name);
    circumstances_.forget(target.name);
  }
}

// A child of a target that is gone or differs measures what nobody asks for any more.
void Runs::abandon_changed(const config::Config& next) {
  const auto stays = [&](const std::string& name) {
    const Target* const before = config::find_target(config_, name);
    const Target* const after = config::find_target(next, name);
    return before != nullptr && after != nullptr && *after == *before;
  };
  std::erase_if(pending_, [&](const auto& entry) {
    if (stays(entry.first)) return false;
    take_back(entry.second, schedule::Ending::finished);
    return true;
  });
  for (auto& [name, run] : runs_) {
    if (run.abandoned || stays(name)) continue;
    abandon(name, run, schedule::Ending::finished);
  }
}

std::optional<schedule::ProbeId> Runs::find(const std::string& target,
                                            const std::string& probe) const {
  for (std::size_t t = 0; t < config_.targets.size(); ++t) {
    if (config_.targets[t].name != target) continue;
    const auto& probes = config_.targets[t].probes;
    for (std::size_t p = 0; p < probes.size(); ++p) {
      if (probes[p].spec.name == probe) return schedule::ProbeId{t, p};
    }
  }
  return std::nullopt;
}

}  // namespace storage_probe::service
