// SPDX-License-Identifier: Apache-2.0
#include "budget/journal.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

namespace storage_probe::budget {
namespace {

constexpr Duration kDay = std::chrono::hours{24};

// Words separated by single spaces; the rest of the line is a target's name, which may hold some.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }
  template <typename T>
  T number() {
    const std::string_view word = next();
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    is_good_ &= error == std::errc{} && end == word.data() + word.size();
    return value;
  }
  Duration duration() { return Duration{number<Duration::rep>()}; }
  Usage usage() {
    const Duration time = duration();
    const Bytes bytes{number<std::uint64_t>()};
    return {time, bytes, Ops{number<std::uint64_t>()}};
  }
  std::string rest() { return std::string(std::exchange(rest_, {})); }
  bool is_good() const { return is_good_; }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

std::string text(Duration duration) { return std::to_string(duration.count()); }

std::string text(const Usage& usage) {
  return text(usage.time) + ' ' + std::to_string(usage.bytes.value) + ' ' +
         std::to_string(usage.ops.value);
}

class Replay {
 public:
  Replay(const std::string& boot_id, Duration since_boot)
      : boot_id_(boot_id), since_boot_(since_boot) {}

  void read(std::string_view record);
  std::map<std::string, std::vector<Ledger::Charge>> result();

 private:
  Duration age(Duration at) const;
  void charge(const std::string& target, const Usage& used, Duration age);

  const std::string& boot_id_;
  const Duration since_boot_;
  bool is_this_boot_ = false;
  std::map<std::uint64_t, std::pair<std::string, Usage>> open_;  // of one daemon, by id
  std::map<std::string, std::vector<Ledger::Charge>> charges_;
};

Duration Replay::age(Duration at) const {
  if (!is_this_boot_) return since_boot_;
  return std::clamp(since_boot_ - at, Duration{}, since_boot_);
}

void Replay::charge(const std::string& target, const Usage& used, Duration age) {
  if (age < kDay) charges_[target].push_back({used, age});
}

void Replay::read(std::string_view record) {
  Words words(record);
  const std::string_view kind = words.next();
  if (kind == "boot") {
    for (auto& [id, reservation] : open_) charge(reservation.first, reservation.second, {});
    open_.clear();
    // Without an id every start counts as another boot.
    is_this_boot_ = !boot_id_.empty() && words.rest() == boot_id_;
  } else if (kind == "reserved") {
    const auto id = words.number<std::uint64_t>();
    const Usage amount = words.usage();
    if (words.is_good()) open_[id] = {words.rest(), amount};
  } else if (kind == "settled") {
    const auto id = words.number<std::uint64_t>();
    const Duration at = words.duration();
    const Usage used = words.usage();
    const auto open = words.is_good() ? open_.extract(id) : decltype(open_)::node_type{};
    if (!open.empty()) charge(open.mapped().first, used, age(at));
  } else if (kind == "spent") {
    const Duration at = words.duration();
    const Usage used = words.usage();
    if (words.is_good()) charge(words.rest(), used, age(at));
  }
}

std::map<std::string, std::vector<Ledger::Charge>> Replay::result() {
  for (auto& [id, reservation] : open_) charge(reservation.first, reservation.second, {});
  for (auto& [target, charges] : charges_) {
    std::stable_sort(charges.begin(), charges.end(),
                     [](const auto& a, const auto& b) { return a.age > b.age; });
  }
  return std::move(charges_);
}

}  // namespace

std::string boot_record(const std::string& boot_id) { return "boot " + boot_id; }

std::string reserved_record(const Ledger::Reservation& reservation) {
  return "reserved " + std::to_string(reservation.id) + ' ' + text(reservation.amount) + ' ' +
         reservation.target;
}

std::string settled_record(const Ledger::Reservation& reservation, const Usage& used,
                           Duration since_boot) {
  return "settled " + std::to_string(reservation.id) + ' ' + text(since_boot) + ' ' + text(used);
}

std::string spent_record(const std::string& target, const Usage& spent, Duration since_boot) {
  return "spent " + text(since_boot) + ' ' + text(spent) + ' ' + target;
}

std::vector<std::string> summary_of(const Ledger& ledger, SteadyTime now, Duration since_boot) {
  std::vector<std::string> records;
  for (const Ledger::Standing& standing : ledger.standings(now)) {
    records.push_back(spent_record(standing.target, standing.spent, since_boot - standing.age));
    for (const auto& open : standing.open) records.push_back(reserved_record(open));
  }
  return records;
}

std::map<std::string, std::vector<Ledger::Charge>> charges_of(
    const std::vector<std::string>& records, const std::string& boot_id, Duration since_boot) {
  Replay replay(boot_id, since_boot);
  for (const std::string& record : records) replay.read(record);
  return replay.result();
}

}  // namespace storage_probe::budget
