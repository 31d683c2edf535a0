// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "budget/ledger.h"
#include "config/config.h"
#include "model/target.h"
#include "schedule/occupancy.h"

namespace storage_probe::schedule {

// Why a due probe was not run: the label `reason` of storage_probe_skipped_total.
enum class SkipReason {
  budget,
  busy,
  hold,
  quiet,
  concurrency,
  device_in_use,
  stuck,
  not_ready,
  answered_by_load,
};
std::string_view to_text(SkipReason reason);

// A probe of the plan, by its place in the configuration.
struct ProbeId {
  std::size_t target = 0;  // index into Config::targets
  std::size_t probe = 0;   // index into Target::probes

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 that it compares with for one
  auto operator<=>(const ProbeId&) const = default;
};

struct Start {
  ProbeId id;
  budget::Ledger::Reservation reservation;
  Usage layout_allowance;  // what of the reservation is for laying the probe file out
};
struct Skip {
  ProbeId id;
  SkipReason reason;
  std::string detail;  // for the log; empty where the reason says it all
};
struct WaitUntil {
  SteadyTime when;  // nothing is due before; at most an hour from now
};
using Decision = std::variant<Start, Skip, WaitUntil>;

// What the scheduler cannot know by itself.
struct Facts {
  SteadyTime now;
  // Leaf devices ("259:0") behind each target, by name; a target without an entry shares with
  // nobody.
  std::map<std::string, std::vector<std::string>> devices;
  std::set<std::string> stuck;         // targets whose last child has not died yet
  std::set<std::string> needs_layout;  // targets without a known complete probe file
  // Why a probe may not start now, by target: an operator's hold, others' use of the device (of
  // latency probes this stops none but one that has to lay its file out).
  std::map<std::string, std::string> held, busy;
  // Capacity probes whose question others' load on the device has answered since their last slot:
  // that one slot is left out.
  std::set<ProbeId> answered;
  // The same for all targets; empty: they may. no_capacity is about capacity probes alone, unpaid
  // says why nothing can be reserved.
  std::string quiet, no_capacity, unpaid;
  // Targets of which a second more will tell whether they are busy: a heavy probe waits for it.
  std::set<std::string> undecided;
  // When that is over, from now, and for how long: a slot in a quiet time moves behind its end,
  // hosts and probes spread, so that a probe whose every slot is in one still runs.
  struct Opening {
    Duration in{}, lasts{};
  };
  Opening quiet_ends, capacity_opens;
};

// How the run of a started probe ended, as far as scheduling goes.
enum class Ending {
  finished,
  not_ready,    // a target state stopped it before any I/O
  interrupted,  // it was in the way: it runs again as soon as it may
  put_off,      // another host has the turn: tried again soon, and nobody waits for it
};

// Decides and does nothing: no clock, no I/O, no thread. Facts come in, decisions go out; the
// caller asks next() again until it answers WaitUntil, and again after each on_finished(). A
// started probe holds its target and its devices until on_finished(), one at a time, even if it
// never ends. Used on the event loop's thread.
//
// A probe's first turn comes soon after it is loaded, one probe of a target after the other in the
// order of the configuration; the first after a random delay, so that a reload or a reboot of many
// hosts is no burst. It may wait for others as long as its interval. All later turns are slots
// (plan.h): a due probe waits for what another holds, for a while, then the slot is skipped; what
// was missed is never made up for. While a target is not ready, the probe that found out is tried
// again, ever more seldom, and the others wait for it.
class Scheduler {
 public:
  // `ledger` must outlive the scheduler. The host id spreads a fleet.
  Scheduler(config::Config config, budget::Ledger& ledger, std::string host_id, SteadyTime now);

  Decision next(const Facts& facts);

  // Brings the probe's next turn forward to `when`, for a second opinion or on suspicion. It waits
  // for nothing longer than a minute, and neither busy others nor a lack of budget: it is skipped,
  // and its slots stay where they are. Nothing is brought forward while the target is not ready.
  void request(ProbeId id, SteadyTime when);
  // An earlier daemon ran it so long ago: younger than its interval, it has had its first turn.
  void note_earlier_run(ProbeId id, Duration age, SteadyTime now);

  void on_finished(ProbeId id, Ending ending, SteadyTime now);

  // Takes over a new configuration. A probe keeps its slot while its target's name, its own name
  // and its `every` stay; started probes of targets that stay are still held under their new ids. A
  // target that was not ready and was changed is tried again at once.
  void reload(const config::Config& config, SteadyTime now);

  std::optional<SteadyTime> next_run(ProbeId id) const;  // when it is due next
  Duration lag() const { return lag_; }  // how late the last started probe was, against its turn

 private:
  // `retry`: the target was not ready. `after_busy`: others used the device. `asked`: see
  // request().
  enum class Turn { first, slot, retry, after_busy, asked };
  struct Entry {
    ProbeId id;
    Duration every{};
    Duration phase{};
    Turn turn = Turn::first;
    SteadyTime due;
    std::optional<SkipReason> waiting_for;  // was found due already, and this was in the way
    unsigned backed_off = 0;                // how often in this slot, from a busy device
  };
  struct TargetRecord {
    std::size_t first_entry = 0;
    std::size_t probes = 0;
    unsigned failures = 0;                // in a row: not ready
    std::optional<std::size_t> retrying;  // the probe, while the target is not ready
  };
  struct Obstacle {
    SkipReason reason;
    std::string detail;
    bool lasting = false;   // waiting does not help
    Facts::Opening over{};  // when it ends, where that is known
  };

  void add_target(std::size_t target, SteadyTime now);
  void keep_turns(std::size_t target, const Scheduler& before, SteadyTime now);

  std::optional<Decision> consider(std::size_t index, const Facts& facts);
  static SteadyTime deadline(const Entry& entry);
  std::optional<Obstacle> busy_device(const Entry& entry, const Facts& facts) const;
  bool back_off_from_busy(std::size_t index, SteadyTime now);
  std::optional<Obstacle> obstacle(const Entry& entry, const Facts& facts) const;
  Decision start(std::size_t index, const Facts& facts);
  Decision skip(std::size_t index, const Obstacle& obstacle, SteadyTime now);

  void set_due(std::size_t index, Turn turn, SteadyTime due);
  void set_next_slot(std::size_t index, SteadyTime now);
  void let_next_have_first_turn(const TargetRecord& record, SteadyTime when);

  const Target& target_of(const Entry& entry) const { return config_.targets[entry.id.target]; }
  const ProbeSpec& spec_of(const Entry& entry) const {
    return target_of(entry).probes[entry.id.probe].spec;
  }
  std::optional<std::size_t> index_of(ProbeId id) const;
  const Entry* find(const TargetRecord& record, std::string_view probe) const;

  config::Config config_;
  budget::Ledger* ledger_;
  std::string host_id_;
  std::vector<Entry> entries_;                          // in config order
  std::vector<TargetRecord> records_;                   // by target
  std::set<std::pair<SteadyTime, std::size_t>> queue_;  // all entries by when they are due
  Occupancy occupancy_;
  Duration lag_{};
};

}  // namespace storage_probe::schedule
