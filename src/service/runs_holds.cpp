// SPDX-License-Identifier: Apache-2.0
// What an operator's holds do to the runs.
#include <chrono>
#include <filesystem>
#include <utility>

#include "service/runs.h"

namespace storage_probe::service {
namespace {

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

void Runs::set_holds(Holds holds) {
  log_.held(holds_, holds);
  holds_ = std::move(holds);
  if (!scheduler_) return;
  apply_holds();
  drive();
}

// A target rests when it is held and no child of it is left, not even one that was killed.
HoldAnswer Runs::hold_answer() const {
  HoldAnswer answer;
  answer.storage_path = std::filesystem::absolute(settings_.storage_path).lexically_normal();
  for (const auto& [name, hold] : holds_) {
    const bool is_all = name == kHoldAll;
    if (!is_all && config::find_target(config_, name) == nullptr) {
      answer.unknown.insert(name);
    } else if (is_all ? runs_.empty() : !runs_.contains(name)) {
      answer.rests[name] = hold.id;
    }
  }
  return answer;
}

void Runs::apply_holds() {
  std::map<std::string, std::string> held;
  for (const Target& target : config_.targets) {
    const Hold* const hold = find_hold(holds_, target.name);
    TargetStatus& status = *recorder_.find(target.name);
    status.held.reset();
    if (hold == nullptr) continue;
    status.held = held[target.name] = describe(*hold);
  }
  for (const auto& [name, hold] : holds_) {
    if (name != kHoldAll && config::find_target(config_, name) == nullptr)
      log_.held_unknown(name, now());
  }
  end_held(held);
  circumstances_.set_held(std::move(held));
}

// An unmount must meet none of them: they end at once, and what they found is no result.
void Runs::end_held(const std::map<std::string, std::string>& held) {
  std::erase_if(pending_, [&](const auto& entry) {
    if (!held.contains(entry.first)) return false;
    take_back(entry.second, schedule::Ending::interrupted);
    return true;
  });
  for (auto& [name, run] : runs_) {
    if (run.abandoned || !held.contains(name)) continue;
    const std::string_view reason = schedule::to_text(schedule::SkipReason::hold);
    recorder_.skipped(name, run.probe, reason);
    log_.skipped(name, run.probe, reason, "its run has been ended");
    abandon(name, run, schedule::Ending::interrupted);
  }
}

// Whatever it has used by now, it is charged in full.
void Runs::abandon(const std::string& target, Run& run, schedule::Ending ending) {
  run.abandoned = true;
  ledger_->settle(run.reservation, run.reservation.amount);
  scheduler_->on_finished(run.id, ending, now());
  pool_.kill(target, now());
}

}  // namespace storage_probe::service
