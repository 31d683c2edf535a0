// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.h"

#include <algorithm>
#include <array>

#include "model/worst_case.h"
#include "schedule/plan.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLongestWait = hours(1);
constexpr Duration kRequestHolds = seconds(60);

// How long after a slot, then after each try, a probe looks at a busy device again; as parts of its
// interval. After the last one the slot is skipped: counted once, however often it was tried.
constexpr std::array kBusyRetries{16, 8, 4};

// How late a slot may be found due: later, the caller was away (a suspend, a stopped process), and
// to catch up would be a burst.
Duration tolerance(Duration every) { return std::min<Duration>(every / 10, seconds(60)); }

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
    case SkipReason::answered_by_load:
      return "answered_by_load";
  }
  return "unknown";
}

Scheduler::Scheduler(config::Config config, budget::Ledger& ledger, std::string host_id,
                     SteadyTime now)
    : config_(std::move(config)), ledger_(&ledger), host_id_(std::move(host_id)) {
  occupancy_.set_max_heavy(config_.max_concurrent_capacity);
  for (std::size_t target = 0; target < config_.targets.size(); ++target) add_target(target, now);
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
  if (entry.turn == Turn::asked) return entry.due + kRequestHolds;
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
  if (entry.turn == Turn::slot && facts.answered.contains(entry.id))
    return Obstacle{SkipReason::answered_by_load, {}, true};
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
  if (entry.turn == Turn::asked || entry.backed_off == kBusyRetries.size()) return false;
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
    const Duration within = std::clamp<Duration>(obstacle.over.lasts, seconds(1), entry.every);
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

}  // namespace storage_probe::schedule
