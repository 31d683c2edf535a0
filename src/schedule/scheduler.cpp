// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "model/worst_case.h"
#include "schedule/plan.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLongestWait = hours(1);
constexpr Duration kShortestInterval = seconds(1);

// How long after a slot, then after each try, a probe looks at a busy device again; as parts of its
// interval. After the last one the slot is skipped: counted once, however often it was tried.
constexpr std::array kBusyRetries{16, 8, 4};

// How late a slot may be found due: later, the caller was away (a suspend, a stopped process), and
// to catch up would be a burst.
Duration tolerance(Duration every) { return std::min<Duration>(every / 10, seconds(60)); }

Duration first_delay(std::string_view host_id, const Target& target, Duration every) {
  if (target.any_directory) return {};
  const Duration most = std::min<Duration>(seconds(5), every / 10);
  return phase_of(host_id, target.name, "first turn", most);
}

// 1, 2, 4 ... minutes, at most the probe's interval and at most an hour.
Duration back_off(unsigned failures, Duration every) {
  const unsigned doublings = std::min(failures == 0 ? 0 : failures - 1, 6U);
  return std::min({Duration(minutes(1)) * (1U << doublings), every, Duration(hours(1))});
}

Weight weight_of(const Target& target, const ProbeSpec& spec, const Facts& facts) {
  const bool heavy = spec.kind == Kind::capacity || facts.needs_layout.contains(target.name);
  return heavy ? Weight::heavy : Weight::light;
}

std::vector<std::string> devices_of(const Target& target, const Facts& facts) {
  const auto found = facts.devices.find(target.name);
  return found == facts.devices.end() ? std::vector<std::string>() : found->second;
}

}  // namespace

std::string_view to_text(SkipReason reason) {
  switch (reason) {
    case SkipReason::budget:
      return "budget";
    case SkipReason::busy:
      return "busy";
    case SkipReason::hold:
      return "hold";
    case SkipReason::quiet:
      return "quiet";
    case SkipReason::concurrency:
      return "concurrency";
    case SkipReason::device_in_use:
      return "device_in_use";
    case SkipReason::stuck:
      return "stuck";
    case SkipReason::not_ready:
      return "not_ready";
  }
  return "unknown";
}

Scheduler::Scheduler(config::Config config, budget::Ledger& ledger, std::string host_id,
                     SteadyTime now)
    : config_(std::move(config)), ledger_(&ledger), host_id_(std::move(host_id)) {
  occupancy_.set_max_heavy(config_.max_concurrent_capacity);
  for (std::size_t target = 0; target < config_.targets.size(); ++target) add_target(target, now);
}

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

Decision Scheduler::next(const Facts& facts) {
  SteadyTime wake = facts.now + kLongestWait;
  auto place = queue_.begin();
  while (place != queue_.end() && place->first <= facts.now) {
    const auto turn = *place;
    if (auto decision = consider(turn.second, facts)) return *std::move(decision);
    const Entry& entry = entries_[turn.second];
    wake = std::min(wake, entry.waiting_for ? deadline(entry) : entry.due);
    place = queue_.upper_bound(turn);  // this one, and another after it, may have been moved
  }
  if (place != queue_.end()) wake = std::min(wake, place->first);
  return WaitUntil{wake};
}

// A due probe starts, is skipped, or (empty) has to wait or had its slot moved.
std::optional<Decision> Scheduler::consider(std::size_t index, const Facts& facts) {
  Entry& entry = entries_[index];
  if (const auto found = obstacle(entry, facts)) {
    if (found->reason == SkipReason::busy && found->lasting &&
        back_off_from_busy(index, facts.now)) {
      return std::nullopt;
    }
    if (found->lasting || facts.now >= deadline(entry)) return skip(index, *found, facts.now);
    entry.waiting_for = found->reason;
    return std::nullopt;
  }
  if (entry.turn == Turn::slot && facts.now - entry.due > tolerance(entry.every)) {
    if (!entry.waiting_for) {
      const SteadyTime latest = slot_after(facts.now, entry.phase, entry.every) - entry.every;
      if (facts.now - latest > tolerance(entry.every)) {
        set_next_slot(index, facts.now);
        return std::nullopt;
      }
      set_due(index, Turn::slot, latest);
    } else if (facts.now > deadline(entry)) {
      return skip(index, {*entry.waiting_for, {}, true}, facts.now);
    }
  }
  return start(index, facts);
}

SteadyTime Scheduler::deadline(const Entry& entry) {
  return entry.due + (entry.turn == Turn::first ? entry.every : patience(entry.every));
}

std::optional<Scheduler::Obstacle> Scheduler::obstacle(const Entry& entry,
                                                       const Facts& facts) const {
  const Target& target = target_of(entry);
  // A first turn waits for the release; a slot that passes in the meantime is skipped.
  const bool is_first = entry.turn == Turn::first;
  if (const auto held = facts.held.find(target.name); held != facts.held.end())
    return Obstacle{SkipReason::hold, held->second, !is_first};
  if (facts.stuck.contains(target.name)) return Obstacle{SkipReason::stuck, {}, true};
  if (!facts.quiet.empty())
    return Obstacle{SkipReason::quiet, facts.quiet, !is_first, facts.quiet_ends};
  if (!facts.no_capacity.empty() && spec_of(entry).kind == Kind::capacity)
    return Obstacle{SkipReason::quiet, facts.no_capacity, !is_first, facts.capacity_opens};
  if (!facts.unpaid.empty()) return Obstacle{SkipReason::budget, facts.unpaid, !is_first};
  const auto& retrying = records_[entry.id.target].retrying;
  if (retrying && *retrying != entry.id.probe)
    return Obstacle{SkipReason::not_ready, {}, entry.turn != Turn::first};
  if (const auto other = occupancy_.in_the_way(target.name, devices_of(target, facts)))
    return Obstacle{SkipReason::device_in_use, *other + " is running", false};
  if (!occupancy_.has_room(weight_of(target, spec_of(entry), facts), facts.stuck))
    return Obstacle{SkipReason::concurrency, {}, false};
  return busy_device(entry, facts);
}

// Others come first where a run would use the device for all it is worth. A latency probe does not,
// and what it sees then is what it is for.
std::optional<Scheduler::Obstacle> Scheduler::busy_device(const Entry& entry,
                                                          const Facts& facts) const {
  const Target& target = target_of(entry);
  if (weight_of(target, spec_of(entry), facts) == Weight::light) return std::nullopt;
  if (const auto found = facts.busy.find(target.name); found != facts.busy.end())
    return Obstacle{SkipReason::busy, found->second, true};
  if (facts.undecided.contains(target.name))
    return Obstacle{SkipReason::busy, "not looked at for long enough", false};
  return std::nullopt;
}

bool Scheduler::back_off_from_busy(std::size_t index, SteadyTime now) {
  Entry& entry = entries_[index];
  if (entry.backed_off == kBusyRetries.size()) return false;
  TargetRecord& record = records_[entry.id.target];
  const Turn turn = entry.turn;
  set_due(index, Turn::after_busy, now + entry.every / kBusyRetries[entry.backed_off]);
  ++entry.backed_off;
  // The others of the target do not wait for it, neither with their first turns nor until it has
  // found out whether the target is ready again.
  if (turn == Turn::retry) record.retrying.reset();
  if (turn == Turn::first) let_next_have_first_turn(record, now);
  return true;
}

Decision Scheduler::start(std::size_t index, const Facts& facts) {
  const Entry& entry = entries_[index];
  const Target& target = target_of(entry);
  const ProbeSpec& spec = spec_of(entry);
  Usage amount = worst_case(target, spec);
  Usage layout;
  if (facts.needs_layout.contains(target.name)) {
    layout = layout_piece(target, ledger_->allowance(target.name),
                          ledger_->in_use(target.name, facts.now) + amount);
    amount += layout;
  }
  auto reservation = ledger_->reserve(target.name, amount, facts.now);
  if (!reservation)
    return skip(index, {SkipReason::budget, reservation.error().message, true}, facts.now);
  occupancy_.take(target.name, spec.name, weight_of(target, spec, facts),
                  devices_of(target, facts));
  lag_ = facts.now - entry.due;
  set_next_slot(index, facts.now);
  return Start{entry.id, *std::move(reservation), layout};
}

Decision Scheduler::skip(std::size_t index, const Obstacle& obstacle, SteadyTime now) {
  const Entry& entry = entries_[index];
  const TargetRecord& record = records_[entry.id.target];
  const Turn turn = entry.turn;
  if (turn == Turn::retry) {
    set_due(index, Turn::retry, now + back_off(record.failures, entry.every));
  } else if (obstacle.over.in > Duration{}) {
    const Duration within = std::clamp(obstacle.over.lasts, kShortestInterval, entry.every);
    set_due(index, Turn::slot, now + obstacle.over.in + entry.phase % within);
  } else {
    set_next_slot(index, now);
  }
  if (turn == Turn::first) let_next_have_first_turn(record, now);
  return Skip{entry.id, obstacle.reason, obstacle.detail};
}

void Scheduler::on_finished(ProbeId id, Ending ending, SteadyTime now) {
  const auto index = index_of(id);
  if (!index) return;
  const Entry& entry = entries_[*index];
  TargetRecord& record = records_[id.target];
  occupancy_.release(target_of(entry).name);
  switch (ending) {
    case Ending::finished:
      record.failures = 0;
      record.retrying.reset();
      let_next_have_first_turn(record, now);
      break;
    case Ending::interrupted:
      set_due(*index, Turn::first, now);
      break;
    case Ending::not_ready:
      ++record.failures;
      record.retrying = id.probe;
      set_due(*index, Turn::retry, now + back_off(record.failures, entry.every));
      break;
    case Ending::put_off:
      set_due(*index, Turn::slot, std::min(entry.due, now + lease_retry(entry.every)));
      let_next_have_first_turn(record, now);
      break;
  }
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
    const bool had_first_turn = old->turn == Turn::slot || old->turn == Turn::after_busy;
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
