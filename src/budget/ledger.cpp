// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace storage_probe::budget {
namespace {

constexpr std::uint64_t kDay = std::chrono::nanoseconds(std::chrono::hours(24)).count();
// What a meter may hold: far over any real figure, and its products with kDay fit 128 bits.
constexpr std::uint64_t kMost = 1ULL << 62U;

constexpr std::size_t kTime = 0;
constexpr std::size_t kBytes = 1;
constexpr std::size_t kOps = 2;

std::array<std::uint64_t, 3> members(const Usage& usage) {
  const auto time = static_cast<std::uint64_t>(std::max(usage.time, Duration{}).count());
  return {std::min(time, kMost), std::min(usage.bytes.value, kMost),
          std::min(usage.ops.value, kMost)};
}

Usage usage_of(const std::array<std::uint64_t, 3>& values) {
  return {Duration(static_cast<std::int64_t>(values[kTime])), Bytes{values[kBytes]},
          Ops{values[kOps]}};
}

std::string human(std::size_t member, std::uint64_t value) {
  if (member == kTime) return human_duration(Duration(static_cast<std::int64_t>(value)));
  if (member == kBytes) return human_bytes(Bytes{value});
  return human_count(static_cast<double>(value)) + " I/Os";
}

// Seconds are not limited where the allowance has none.
bool is_unlimited(std::size_t member, std::uint64_t allowance) {
  return member == kTime && allowance == 0;
}

}  // namespace

std::uint64_t Ledger::in_use(const Meter& meter) {
  const Scaled spent = (meter.spent + kDay - 1) / kDay;  // rounded up: rather too much
  return static_cast<std::uint64_t>(std::min<Scaled>(meter.reserved + spent, kMost));
}

void Ledger::Account::refill(SteadyTime now) {
  if (now <= as_of) return;
  const auto elapsed = static_cast<std::uint64_t>(Duration(now - as_of).count());
  for (Meter& meter : meters) {
    meter.spent -= std::min(meter.spent, static_cast<Scaled>(meter.allowance) * elapsed);
  }
  as_of = now;
}

void Ledger::set_allowance(const std::string& target, const Usage& allowance, SteadyTime now) {
  Account& account = accounts_[target];
  account.refill(now);  // at the old rate; nothing is spent in a new account
  account.as_of = now;
  account.is_removed = false;
  const auto values = members(allowance);
  for (std::size_t m = 0; m < values.size(); ++m) account.meters[m].allowance = values[m];
  if (const auto claimed = unclaimed_.extract(target); !claimed.empty())
    restore(target, {{claimed.mapped().used, now - claimed.mapped().at}}, now);
}

void Ledger::Account::spend(const Usage& used) {
  const auto spent = members(used);
  for (std::size_t m = 0; m < spent.size(); ++m) {
    Meter& meter = meters[m];
    if (is_unlimited(m, meter.allowance)) continue;
    meter.spent = std::min(meter.spent + static_cast<Scaled>(spent[m]) * kDay,
                           static_cast<Scaled>(kMost) * kDay);
  }
}

bool Ledger::Account::is_untouched() const {
  return open.empty() && std::all_of(meters.begin(), meters.end(),
                                     [](const Meter& meter) { return meter.spent == 0; });
}

const Ledger::Account* Ledger::find(const std::string& target) const {
  const auto found = accounts_.find(target);
  return found == accounts_.end() || found->second.is_removed ? nullptr : &found->second;
}

void Ledger::remove(const std::string& target, SteadyTime now) {
  if (const auto found = accounts_.find(target); found != accounts_.end()) {
    found->second.is_removed = true;
  }
  for (auto entry = accounts_.begin(); entry != accounts_.end();) {
    Account& account = entry->second;
    account.refill(now);
    entry =
        account.is_removed && account.is_untouched() ? accounts_.erase(entry) : std::next(entry);
  }
}

void Ledger::restore(const std::string& target, const std::vector<Charge>& charges,
                     SteadyTime now) {
  const auto found = accounts_.find(target);
  if (found == accounts_.end()) {
    for (const Charge& charge : charges) {
      unclaimed_[target].used += charge.used;
      unclaimed_[target].at = now - charge.age;
    }
    return;
  }
  Account& account = found->second;
  for (const Charge& charge : charges) {
    if (account.is_untouched()) account.as_of = now - charge.age;
    account.refill(now - charge.age);
    account.spend(charge.used);
  }
  account.refill(now);
}

std::vector<Ledger::Standing> Ledger::standings(SteadyTime now) const {
  std::vector<Standing> all;
  for (const auto& [target, kept] : accounts_) {
    Account account = kept;
    account.refill(now);
    if (account.is_untouched()) continue;
    for (Meter& meter : account.meters) meter.reserved = 0;
    const auto& meters = account.meters;
    all.push_back({target,
                   usage_of({in_use(meters[kTime]), in_use(meters[kBytes]), in_use(meters[kOps])}),
                   {},
                   {}});
    for (const auto& [id, amount] : account.open) all.back().open.push_back({id, target, amount});
  }
  for (const auto& [target, unclaimed] : unclaimed_) {
    all.push_back({target, unclaimed.used, now - unclaimed.at, {}});
  }
  return all;
}

Result<void> Ledger::affordable(const Account& account, const Usage& amount) {
  const auto wanted = members(amount);
  for (std::size_t m = 0; m < wanted.size(); ++m) {
    const Meter& meter = account.meters[m];
    const std::uint64_t used = in_use(meter);
    // A probe that needs none of it may run although the meter is overdrawn.
    if (wanted[m] == 0 || is_unlimited(m, meter.allowance)) continue;
    if (used + wanted[m] <= meter.allowance) continue;
    const std::uint64_t left = meter.allowance - std::min(used, meter.allowance);
    const std::string need = human(m, wanted[m]) + " needed, " + human(m, left) + " of " +
                             human(m, meter.allowance) + " a day left";
    if (wanted[m] > meter.allowance)
      return Unexpected({Errc::exhausted, need + ": it will never do"});
    if (wanted[m] + meter.reserved > meter.allowance)
      return Unexpected({Errc::exhausted, need + ": a running probe holds the rest"});
    const auto missing = static_cast<double>(used + wanted[m] - meter.allowance);
    const double days = std::min(missing / static_cast<double>(meter.allowance), 3650.0);
    return Unexpected(
        {Errc::exhausted, need + ": enough in " + human_duration(from_seconds(days * 86400))});
  }
  return {};
}

Result<Ledger::Reservation> Ledger::reserve(const std::string& target, const Usage& worst_case,
                                            SteadyTime now) {
  if (find(target) == nullptr)
    return Unexpected({Errc::not_found, "target " + target + " has no budget"});
  Account& account = accounts_[target];
  account.refill(now);
  if (auto paid = affordable(account, worst_case); !paid) return Unexpected(paid.error());
  const auto values = members(worst_case);
  for (std::size_t m = 0; m < values.size(); ++m) account.meters[m].reserved += values[m];
  account.open.emplace(++last_id_, worst_case);
  return Reservation{last_id_, target, worst_case};
}

void Ledger::settle(const Reservation& reservation, const Usage& used, SteadyTime now) {
  const auto found = accounts_.find(reservation.target);
  if (found == accounts_.end()) return;
  Account& account = found->second;
  const auto open = account.open.extract(reservation.id);
  if (open.empty()) return;
  account.refill(now);
  const auto reserved = members(open.mapped());
  for (std::size_t m = 0; m < reserved.size(); ++m) account.meters[m].reserved -= reserved[m];
  account.spend(used);
}

Usage Ledger::allowance(const std::string& target) const {
  const Account* const account = find(target);
  if (account == nullptr) return {};
  const auto& meters = account->meters;
  return usage_of({meters[kTime].allowance, meters[kBytes].allowance, meters[kOps].allowance});
}

Usage Ledger::in_use(const std::string& target, SteadyTime now) const {
  if (find(target) == nullptr) return {};
  Account account = *find(target);
  account.refill(now);
  const auto& meters = account.meters;
  return usage_of({in_use(meters[kTime]), in_use(meters[kBytes]), in_use(meters[kOps])});
}

}  // namespace storage_probe::budget
