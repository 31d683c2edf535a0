// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::budget {

// What each target may spend: a bucket that holds 24 h of its allowance and refills continuously,
// so there is no midnight. reserve() takes the worst case before a probe, settle() gives back what
// was not used: whoever dies in between has counted too much, never too little. Owned by the event
// loop, used on its thread only. Time is the caller's monotonic clock: a step of the wall clock
// refills nothing.
class Ledger {
 public:
  struct Reservation {
    std::uint64_t id = 0;
    std::string target;
    Usage amount;
  };

  // What was spent in the past.
  struct Charge {
    Usage used;
    Duration age{};
  };
  // How an account stands, for whoever keeps it.
  struct Standing {
    std::string target;
    Usage spent;     // and not refilled yet
    Duration age{};  // before now it was that much
    std::vector<Reservation> open;
  };

  // Sets a target's allowance of 24 h; a new target starts with a full bucket, a known one keeps
  // what it has spent. A zero `time` member means that seconds are not limited.
  void set_allowance(const std::string& target, const Usage& allowance, SteadyTime now);
  // What the target has spent stays spent, should it come back.
  void remove(const std::string& target, SteadyTime now);
  // Adds what an earlier ledger has spent, oldest first; also for a target that gets its allowance
  // later.
  void restore(const std::string& target, const std::vector<Charge>& charges, SteadyTime now);
  // Every account with something spent or reserved.
  std::vector<Standing> standings(SteadyTime now) const;

  // Errc::exhausted when the bucket cannot pay for `worst_case` now; the message says which member
  // is short and when it will be there.
  Result<Reservation> reserve(const std::string& target, const Usage& worst_case, SteadyTime now);
  // `used` may exceed the reservation: it is charged all the same, and refills from now on. Nothing
  // happens when the reservation is settled already or its target was removed since.
  void settle(const Reservation& reservation, const Usage& used, SteadyTime now);

  Usage allowance(const std::string& target) const;
  // What of the allowance is in use: spent and not refilled yet, and reserved. An open reservation
  // counts in full for as long as it is open.
  Usage in_use(const std::string& target, SteadyTime now) const;

 private:
  // One of time, bytes and I/Os. Refilling subtracts allowance x nanoseconds, so `spent` is kept in
  // units of 1 / (nanoseconds of a day): exact however often it is refilled.
  __extension__ using Scaled = unsigned __int128;
  struct Meter {
    std::uint64_t allowance = 0;
    std::uint64_t reserved = 0;
    Scaled spent = 0;  // at `as_of`
  };
  struct Account {
    std::array<Meter, 3> meters;
    SteadyTime as_of;
    std::map<std::uint64_t, Usage> open;  // reservations by id
    bool is_removed = false;              // kept for what it has spent, until that has refilled

    void refill(SteadyTime now);
    void spend(const Usage& used);
    bool is_untouched() const;
  };
  static std::uint64_t in_use(const Meter& meter);
  static Result<void> affordable(const Account& account, const Usage& amount);

  const Account* find(const std::string& target) const;

  std::map<std::string, Account> accounts_;
  // Restored for targets that have no account: how it refills is not known.
  struct Unclaimed {
    Usage used;
    SteadyTime at;  // of the last
  };
  std::map<std::string, Unclaimed> unclaimed_;
  std::uint64_t last_id_ = 0;
};

}  // namespace storage_probe::budget
