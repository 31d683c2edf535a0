// SPDX-License-Identifier: Apache-2.0
#include "budget/lease.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/hash.h"

namespace storage_probe::budget {
namespace {

constexpr std::string_view kMagic = "storage-probe-lease ";
constexpr unsigned kVersion = 1;
constexpr std::string_view kAbout =
    "# Hosts that probe this file system take turns by this file. Remove it only when none does.\n";
constexpr std::size_t kMaxHosts = 4096;
constexpr std::size_t kMaxId = 32;
// No figure is larger, so that sums of a few of them fit.
constexpr std::uint64_t kMost = 1ULL << 60U;

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kPresent = std::chrono::hours(1);
constexpr Duration kRemembered = 7 * kDay;
constexpr Duration kLongestWait = std::chrono::minutes(1);

// The words and numbers of a line, separated by single spaces.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  std::uint64_t number(std::uint64_t most = kMost, int base = 10) {
    const std::string_view digits = word();
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    is_good_ &= error == std::errc{} && end == digits.data() + digits.size() && value <= most;
    return value;
  }
  std::uint64_t hash() { return number(std::numeric_limits<std::uint64_t>::max(), 16); }
  Duration duration() { return Duration(static_cast<Duration::rep>(number())); }
  Usage usage() {
    const Duration time = duration();
    const Bytes bytes{number()};
    return {time, bytes, Ops{number()}};
  }
  bool is_good() const { return is_good_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

std::string text(Duration duration) { return ' ' + std::to_string(duration.count()); }
std::string text(const Usage& usage) {
  return text(usage.time) + ' ' + std::to_string(usage.bytes.value) + ' ' +
         std::to_string(usage.ops.value);
}
std::string hex(std::uint64_t value) {
  std::array<char, 18> digits{};
  std::snprintf(digits.data(), digits.size(), " %016" PRIx64, value);
  return digits.data();
}

std::string header_of(std::string_view body) {
  return std::string(kMagic) + std::to_string(kVersion) + ' ' + std::to_string(body.size()) +
         hex(stable_hash(body)) + '\n';
}

// A figure as its members, in units that a Usage counts in.
using Figures = std::array<std::uint64_t, 3>;
Figures figures_of(const Usage& usage) {
  const auto time = static_cast<std::uint64_t>(std::max(usage.time, Duration{}).count());
  return {std::min(time, kMost), std::min(usage.bytes.value, kMost),
          std::min(usage.ops.value, kMost)};
}
Usage usage_of(const Figures& figures) {
  return {Duration(static_cast<Duration::rep>(figures[0])), Bytes{figures[1]}, Ops{figures[2]}};
}
std::string human(std::size_t member, const Figures& figures) {
  const Usage usage = usage_of(figures);
  if (member == 0) return human_duration(usage.time);
  if (member == 1) return human_bytes(usage.bytes);
  return human_count(static_cast<double>(usage.ops.value)) + " I/Os";
}

// Rounded down: rather too little comes back.
std::uint64_t refilled(std::uint64_t allowance, Duration elapsed) {
  __extension__ using Wide = unsigned __int128;
  const auto share = static_cast<Wide>(allowance) * static_cast<std::uint64_t>(elapsed.count());
  return static_cast<std::uint64_t>(
      std::min<Wide>(share / static_cast<std::uint64_t>(kDay.count()), kMost));
}

// Seconds are not limited where the allowance has none.
bool is_unlimited(std::size_t member, const Figures& allowance) {
  return member == 0 && allowance[0] == 0;
}

Unexpected short_of(std::size_t member, const Figures& spent, Figures allowance,
                    const Figures& wanted) {
  const std::string a_day = human(member, allowance);
  allowance[member] -= std::min(allowance[member], spent[member]);
  return Unexpected(Error{
      Errc::exhausted, "the hosts that share the mount have " + human(member, allowance) + " of " +
                           a_day + " a day left, the run may take " + human(member, wanted)});
}

}  // namespace

std::optional<Lease> Lease::parse(std::string_view body) {
  Lease lease;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    Line line(body.substr(0, end));
    const bool is_comment = body.front() == '#';
    body.remove_prefix(end + 1);
    if (is_comment) continue;
    const std::string_view kind = line.word();
    if (kind == "now") {
      lease.now_ = line.duration();
    } else if (kind == "spent") {
      lease.spent_at_ = line.duration();
      lease.spent_allowance_ = line.usage();
      lease.spent_ = line.usage();
    } else if (kind == "host") {
      const std::string id(line.word());
      Host host{line.hash(), line.hash()};
      host.up = line.duration();
      host.seen = line.duration();
      host.turn = line.duration();
      host.waits_until = line.duration();
      if (id.empty() || id.size() > kMaxId || lease.hosts_.size() >= kMaxHosts) return std::nullopt;
      lease.hosts_[id] = host;
    } else {
      return std::nullopt;
    }
    if (!line.is_good()) return std::nullopt;
  }
  return lease;
}

std::variant<Lease, LeaseFault> Lease::decode(std::string_view bytes) {
  if (bytes.empty()) return Lease();
  // What is on the disk after a crash may be a part of what was written, or zeros.
  if (bytes.front() == '\0' || kMagic.starts_with(bytes)) return LeaseFault::damaged;
  if (!bytes.starts_with(kMagic)) return LeaseFault::foreign;
  const std::size_t end = bytes.find('\n');
  Line header(bytes.substr(0, end).substr(kMagic.size()));
  const std::uint64_t version = header.number();
  if (version > kVersion) return LeaseFault::newer_version;
  const std::uint64_t size = header.number(kMaxLease.value);
  const std::uint64_t checksum = header.hash();
  if (end == std::string_view::npos || !header.is_good() || version != kVersion) {
    return LeaseFault::damaged;
  }
  const std::string_view body = bytes.substr(end + 1, size);
  if (body.size() != size || stable_hash(body) != checksum) return LeaseFault::damaged;
  auto lease = parse(body);
  if (!lease) return LeaseFault::damaged;
  return *std::move(lease);
}

std::string Lease::encode() const {
  std::string body(kAbout);
  body += "now" + text(now_) + '\n';
  body += "spent" + text(spent_at_) + text(spent_allowance_) + text(spent_) + '\n';
  for (const auto& [id, host] : hosts_) {
    body += "host " + id + hex(host.boot) + hex(host.boot_before) + text(host.up) +
            text(host.seen) + text(host.turn) + text(host.waits_until) + '\n';
  }
  return header_of(body) + body;
}

Lease Lease::spent_in_full(const Usage& allowance) {
  Lease lease;
  lease.spent_allowance_ = lease.spent_ = usage_of(figures_of(allowance));
  return lease;
}

Result<void> Lease::check_in(const LeaseHost& me) {
  const auto found = hosts_.find(me.id);
  if (found == hosts_.end()) {
    if (me.id.empty() || me.id.size() > kMaxId) {
      return Unexpected(Error{Errc::invalid, "lease: no host id: set --host.id"});
    }
    hosts_[me.id] = Host{me.boot, me.boot, me.up, now_, now_, {}};
    forget_the_unseen();
    return {};
  }
  Host& host = found->second;
  if (me.boot != host.boot && me.boot == host.boot_before) {
    return Unexpected(Error{Errc::denied, "host id " + me.id +
                                              " is in use on two machines, of which one is a copy "
                                              "of the other: set --host.id on one"});
  }
  if (me.boot == host.boot) {
    now_ = std::max(now_, host.seen + std::max(me.up - host.up, Duration{}));
  } else {
    // A reboot, or a copy of the machine: no boot comes back after another one, a copy does.
    host.boot_before = std::exchange(host.boot, me.boot);
  }
  host.up = me.up;
  host.seen = now_;
  forget_the_unseen();
  return {};
}

void Lease::forget_the_unseen() {
  std::erase_if(hosts_, [&](const auto& host) { return now_ - host.second.seen > kRemembered; });
  while (hosts_.size() > kMaxHosts) {
    hosts_.erase(std::min_element(hosts_.begin(), hosts_.end(), [](const auto& a, const auto& b) {
      return a.second.seen < b.second.seen;
    }));
  }
}

std::size_t Lease::hosts_seen() const {
  return static_cast<std::size_t>(
      std::count_if(hosts_.begin(), hosts_.end(),
                    [&](const auto& host) { return now_ - host.second.seen <= kPresent; }));
}

std::optional<std::string> Lease::ask(const std::string& id, Duration returns_in) {
  const auto me = hosts_.find(id);
  if (me == hosts_.end()) return std::nullopt;
  me->second.waits_until = now_ + std::min(std::max(returns_in, Duration(1)), kLongestWait);
  auto first = me;
  for (auto other = hosts_.begin(); other != hosts_.end(); ++other) {
    if (other->second.waits_until <= now_) continue;
    if (std::pair(other->second.turn, other->first) < std::pair(first->second.turn, first->first)) {
      first = other;
    }
  }
  if (first == me) return std::nullopt;
  return first->first;
}

void Lease::begin_turn(const std::string& id) {
  withdraw(id);
  // Later than that of a host which came at the same instant and has had none.
  if (const auto me = hosts_.find(id); me != hosts_.end()) me->second.turn = now_ + Duration(1);
}

void Lease::withdraw(const std::string& id) {
  if (const auto me = hosts_.find(id); me != hosts_.end()) me->second.waits_until = {};
}

Usage Lease::spent(const Usage& allowance) const {
  const Figures mine = figures_of(allowance);
  const Figures theirs = figures_of(spent_allowance_);
  Figures spent = figures_of(spent_);
  const Duration elapsed = std::max(now_ - spent_at_, Duration{});
  for (std::size_t i = 0; i < spent.size(); ++i) {
    spent[i] -= std::min(spent[i], refilled(std::min(mine[i], theirs[i]), elapsed));
  }
  return usage_of(spent);
}

Result<void> Lease::reserve(const Usage& worst_case, const Usage& allowance) {
  const Figures most = figures_of(allowance);
  const Figures wanted = figures_of(worst_case);
  Figures spent = figures_of(this->spent(allowance));
  for (std::size_t i = 0; i < spent.size(); ++i) {
    if (is_unlimited(i, most)) continue;
    if (spent[i] + wanted[i] > most[i]) return short_of(i, spent, most, wanted);
    spent[i] += wanted[i];
  }
  spent_ = usage_of(spent);
  spent_allowance_ = usage_of(most);
  spent_at_ = now_;
  return {};
}

void Lease::settle(const Usage& reserved, const Usage& used, const Usage& allowance) {
  const Figures before = figures_of(reserved);
  const Figures after = figures_of(used);
  Figures spent = figures_of(this->spent(allowance));
  for (std::size_t i = 0; i < spent.size(); ++i) {
    if (is_unlimited(i, figures_of(allowance))) continue;
    spent[i] += after[i];
    spent[i] = std::min(spent[i] - std::min(spent[i], before[i]), kMost);
  }
  spent_ = usage_of(spent);
  spent_allowance_ = usage_of(figures_of(allowance));
  spent_at_ = now_;
}

}  // namespace storage_probe::budget
