// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"
#include "budget/ledger.h"
#include "config/config.h"
#include "model/target.h"

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
};
std::string_view to_text(SkipReason reason);

// A probe of the plan, by its place in the configuration.
struct ProbeId {
  std::size_t target = 0;  // index into Config::targets
  std::size_t probe = 0;   // index into Target::probes

  auto operator<=>(const ProbeId&) const = default;
};

struct Start {
  ProbeId id;
  budget::Ledger::Reservation reservation;
  Bytes layout_allowance;  // what of the reservation is for laying the probe file out
};
struct Skip {
  ProbeId id;
  SkipReason reason;
  std::string detail;  // for the log; empty where the reason says it all
};
struct WaitUntil {
  SteadyTime when;  // nothing is due before
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
};

// How the run of a started probe ended, as far as scheduling goes.
enum class Ending { finished, not_ready };  // not_ready: a target state stopped it before any I/O

// Decides and does nothing: no clock, no I/O, no thread. Facts come in, decisions go out; the
// caller asks next() again until it answers WaitUntil. A started probe holds its target and its
// devices until on_finished(), one at a time, even if it never ends. Used on the event loop's
// thread.
class Scheduler {
 public:
  // `ledger` must outlive the scheduler. The host id spreads a fleet; `seed` fixes the jitter.
  Scheduler(const config::Config& config, budget::Ledger& ledger, const std::string& host_id,
            std::uint64_t seed, SteadyTime now);

  Decision next(const Facts& facts);
  void on_finished(ProbeId id, Ending ending, SteadyTime now);

  // Takes over a new configuration. A probe keeps its slot while its target's name, its own name
  // and its `every` stay; started probes of targets that stay are still held under their new ids.
  void reload(const config::Config& config, SteadyTime now);

  std::optional<SteadyTime> next_run(ProbeId id) const;  // when it is due next
  Duration lag() const;  // how late the last started probe was, against its slot

 private:
  struct Entry;
  // (private part is the implementer's)
};

}  // namespace storage_probe::schedule
