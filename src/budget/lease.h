// SPDX-License-Identifier: Apache-2.0
// The rules over the lease file of a shared file system: which hosts there are, whose turn it is,
// and what all of them have spent. Pure: bytes become a Lease and a Lease becomes bytes; locking,
// reading and writing them is the worker's.
//
// No wall clock is used, for each host has its own and any of them may jump. The file has a time of
// its own instead. A host notes its monotonic clock beside the file's time whenever it writes; when
// it writes again in the same boot, the file's time is at least what it was then plus what has gone
// by on that clock. A host that is new or has rebooted moves nothing: time in which nobody of the
// fleet was up twice is not counted, so nothing refills in it, and nobody ages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::budget {

inline constexpr Bytes kMaxLease = kMiB;

// Who writes: a host at an instant of its own.
struct LeaseHost {
  std::string id;          // 16 hex digits
  std::uint64_t boot = 0;  // differs with every boot of every machine
  Duration up{};           // on its clock, which counts on while it sleeps
};

// Why bytes are no lease to work with.
enum class LeaseFault {
  foreign,        // somebody else's file: not to touch
  newer_version,  // ours, of a later version: not to touch
  damaged,        // ours, torn or changed: what was spent is not known
};

class Lease {
 public:
  // The text of a file; an empty one is a lease that nobody has used yet.
  static std::variant<Lease, LeaseFault> decode(std::string_view bytes);
  // In place of a damaged one: nothing is known, so the allowance is spent.
  static Lease spent_in_full(const Usage& allowance);
  // At most kMaxLease. A text that is shorter than the one before it may leave the rest of that
  // behind it in the file.
  std::string encode() const;

  // First of all in every change: brings the time forward, notes that `host` is there, and forgets
  // who has not been there for a week. Errc::denied: another machine uses this host id.
  Result<void> check_in(const LeaseHost& host);

  // Hosts that were there within the hour, which is how often latency probes run at least.
  std::size_t hosts_seen() const;
  // Whether a host was there within the week.
  bool is_known(std::string_view id) const { return hosts_.contains(std::string(id)); }

  // The host wants a turn, and if it gets none now will ask again within `returns_in`. Empty: it
  // goes first. Else the host that does: of those that wait, the one whose last turn began
  // longest ago. Whoever does not come back is waited for a minute at most.
  std::optional<std::string> ask(const std::string& id, Duration returns_in);
  void begin_turn(const std::string& id);
  // It does not wait any longer.
  void withdraw(const std::string& id);

  // Takes `worst_case` out of what all hosts together may spend: a bucket of 24 h that refills
  // continuously. Whoever dies before settle() has spent all of it. Hosts that allow different
  // figures refill it at the smaller one. Errc::exhausted: the message says what is short.
  Result<void> reserve(const Usage& worst_case, const Usage& allowance);
  void settle(const Usage& reserved, const Usage& used, const Usage& allowance);
  // What is spent and not refilled yet.
  Usage spent(const Usage& allowance) const;

 private:
  struct Host {
    std::uint64_t boot = 0, boot_before = 0;
    Duration up{};           // its clock when it was last seen
    Duration seen{};         // all others are the file's time
    Duration turn{};         // when its last turn began, at first when it came
    Duration waits_until{};  // in the past: it does not want a turn
  };

  static std::optional<Lease> parse(std::string_view body);
  void forget_the_unseen();

  Duration now_{};
  std::map<std::string, Host> hosts_;
  Usage spent_;            // at `spent_at_`
  Usage spent_allowance_;  // of whoever changed it last
  Duration spent_at_{};
};

}  // namespace storage_probe::budget
