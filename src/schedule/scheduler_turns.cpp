// SPDX-License-Identifier: Apache-2.0
// When each probe's next turn is.
#include <algorithm>

#include "schedule/plan.h"
#include "schedule/scheduler.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Duration kShortestInterval = seconds(1);

Duration first_delay(std::string_view host_id, const Target& target, Duration every) {
  if (target.any_directory) return {};
  const Duration most = std::min<Duration>(seconds(5), every / 10);
  return phase_of(host_id, target.name, "first turn", most);
}

}  // namespace

void Scheduler::add_target(std::size_t target, SteadyTime now) {
  const Target& owner = config_.targets[target];
  const TargetRecord record{entries_.size(), owner.probes.size(), 0, {}};
  for (std::size_t probe = 0; probe < owner.probes.size(); ++probe) {
    const PlannedProbe& planned = owner.probes[probe];
    const Duration every = std::max(planned.every, kShortestInterval);
    const Duration phase = phase_of(host_id_, owner.name, planned.spec.name, every);
    // The others' first turn comes when the one before has had its own, or with their first slot.
    const SteadyTime due =
        probe == 0 ? now + first_delay(host_id_, owner, every) : slot_after(now, phase, every);
    queue_.emplace(due, entries_.size());
    entries_.push_back({{target, probe}, every, phase, Turn::first, due, {}});
  }
  records_.push_back(record);
}

void Scheduler::request(ProbeId id, SteadyTime when) {
  const auto index = index_of(id);
  if (!index) return;
  const Entry& entry = entries_[*index];
  if (records_[id.target].retrying || entry.turn == Turn::first || entry.due <= when) return;
  set_due(*index, Turn::asked, when);
}

void Scheduler::note_earlier_run(ProbeId id, Duration age, SteadyTime now) {
  const auto index = index_of(id);
  if (!index || entries_[*index].turn != Turn::first || age >= entries_[*index].every) return;
  const SteadyTime first_turn = entries_[*index].due;
  set_next_slot(*index, now);
  let_next_have_first_turn(records_[id.target], first_turn);
}

void Scheduler::reload(const config::Config& config, SteadyTime now) {
  Scheduler next(config, *ledger_, host_id_, now);
  next.lag_ = lag_;
  next.occupancy_ = std::move(occupancy_);
  next.occupancy_.set_max_heavy(config.max_concurrent_capacity);
  next.occupancy_.release_if([&](const std::string& name) {
    return std::none_of(config.targets.begin(), config.targets.end(),
                        [&](const Target& target) { return target.name == name; });
  });
  for (std::size_t target = 0; target < config.targets.size(); ++target)
    next.keep_turns(target, *this, now);
  *this = std::move(next);
}

void Scheduler::keep_turns(std::size_t target, const Scheduler& before, SteadyTime now) {
  const Target& owner = config_.targets[target];
  const auto& old_targets = before.config_.targets;
  const auto old_owner =
      std::find_if(old_targets.begin(), old_targets.end(),
                   [&](const Target& other) { return other.name == owner.name; });
  if (old_owner == old_targets.end()) return;
  const TargetRecord& old_record =
      before.records_[static_cast<std::size_t>(old_owner - old_targets.begin())];
  TargetRecord& record = records_[target];
  const bool same = *old_owner == owner;
  if (same) {
    record.failures = old_record.failures;
    record.retrying = old_record.retrying;
  }
  for (std::size_t i = record.first_entry; i < record.first_entry + record.probes; ++i) {
    const Entry* const old = before.find(old_record, spec_of(entries_[i]).name);
    if (old == nullptr) continue;
    const bool had_first_turn = old->turn != Turn::first && old->turn != Turn::retry;
    if (same || (had_first_turn && old->every == entries_[i].every)) {
      set_due(i, old->turn, old->due);
      entries_[i].waiting_for = old->waiting_for;
      entries_[i].backed_off = old->backed_off;
    } else if (had_first_turn) {
      set_next_slot(i, now);
    }
  }
  // New probes of a known target, and those that were still to come.
  if (!same) let_next_have_first_turn(record, now + first_delay(host_id_, owner, hours(1)));
}

const Scheduler::Entry* Scheduler::find(const TargetRecord& record, std::string_view probe) const {
  for (std::size_t i = record.first_entry; i < record.first_entry + record.probes; ++i) {
    if (spec_of(entries_[i]).name == probe) return &entries_[i];
  }
  return nullptr;
}

std::optional<SteadyTime> Scheduler::next_run(ProbeId id) const {
  const auto index = index_of(id);
  return index ? std::optional(entries_[*index].due) : std::nullopt;
}

std::optional<std::size_t> Scheduler::index_of(ProbeId id) const {
  if (id.target >= records_.size() || id.probe >= records_[id.target].probes) return std::nullopt;
  return records_[id.target].first_entry + id.probe;
}

void Scheduler::set_due(std::size_t index, Turn turn, SteadyTime due) {
  Entry& entry = entries_[index];
  queue_.erase({entry.due, index});
  entry.turn = turn;
  entry.due = due;
  entry.waiting_for.reset();
  queue_.emplace(due, index);
}

void Scheduler::set_next_slot(std::size_t index, SteadyTime now) {
  Entry& entry = entries_[index];
  entry.backed_off = 0;
  set_due(index, Turn::slot, slot_after(now, entry.phase, entry.every));
}

// The first turns of a target follow each other: the next of them, if there is one, is due now.
void Scheduler::let_next_have_first_turn(const TargetRecord& record, SteadyTime when) {
  for (std::size_t i = 0; i < record.probes; ++i) {
    const Entry& entry = entries_[record.first_entry + i];
    if (entry.turn != Turn::first) continue;
    if (when < entry.due) set_due(record.first_entry + i, Turn::first, when);
    return;
  }
}

}  // namespace storage_probe::schedule
