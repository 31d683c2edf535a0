// SPDX-License-Identifier: Apache-2.0
#include "service/durable_ledger.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "budget/journal.h"
#include "targets/host.h"

namespace storage_probe::service {
namespace {

using std::chrono::seconds;

// About 100 KB: read in a moment, and rewritten once in hours.
constexpr unsigned kCompactAfter = 1000;
constexpr seconds kTryAgain{10};
constexpr seconds kPatience{5};

SteadyTime now() { return std::chrono::steady_clock::now(); }

Duration since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Result<std::unique_ptr<DurableLedger>> DurableLedger::open(
    EventLoop& loop, const std::filesystem::path& storage_path, Logger& logger,
    std::function<void()> changed) {
  auto file = RecordFile::open(storage_path / "ledger", budget::kJournalFormat);
  if (!file) return Unexpected(file.error());
  std::unique_ptr<DurableLedger> ledger(new DurableLedger(
      *std::move(file), targets::read_boot_id("/proc"), logger, std::move(changed)));
  auto source = loop.on_readable(ledger->file_.event_fd(), [it = ledger.get()] { it->on_event(); });
  if (!source) return Unexpected(source.error());
  ledger->source_ = *std::move(source);
  return ledger;
}

DurableLedger::DurableLedger(RecordFile file, std::string boot_id, Logger& logger,
                             std::function<void()> changed)
    : file_(std::move(file)),
      boot_id_(std::move(boot_id)),
      logger_(logger),
      changed_(std::move(changed)),
      obstacle_("what earlier runs have cost has not been read yet"),
      waiting_since_(now()) {}

void DurableLedger::on_event() {
  waiting_since_ = now();
  refresh();
  changed_();
}

// Every answer of the file takes its event back, so all of them are asked.
void DurableLedger::refresh() {
  if (const auto contents = file_.take_contents()) take_over(*contents);
  durable_ = file_.durable();
  failure_ = file_.failure();
  look_for_obstacles();
}

void DurableLedger::take_over(const RecordFile::Contents& contents) {
  is_read_ = true;
  is_damaged_ = contents.is_damaged;
  if (is_damaged_) {
    logger_.warn("the ledger is damaged: all of today's allowances count as spent");
    for (const std::string& target : targets_) {
      ledger_.restore(target, {{ledger_.allowance(target), {}}}, now());
    }
  } else {
    for (const auto& [target, charges] :
         budget::charges_of(contents.records, boot_id_, since_boot())) {
      ledger_.restore(target, charges, now());
    }
  }
  compact();  // says which boot this is
}

std::string DurableLedger::find_obstacle() const {
  if (failure_) return "what probing costs cannot be written down: " + failure_->message;
  const bool is_waiting = !is_read_ || durable_ < last_;
  if (is_waiting && now() - waiting_since_ >= kPatience) {
    return "the disk of the state directory has not answered for " + human_duration(kPatience) +
           ": what probing costs cannot be written down";
  }
  return is_read_ ? "" : obstacle_;
}

void DurableLedger::look_for_obstacles() {
  std::string obstacle = find_obstacle();
  if (obstacle == obstacle_) return;
  obstacle_ = std::move(obstacle);
  if (!obstacle_.empty()) {
    logger_.error("nothing is probed", {{"reason", obstacle_}});
    has_complained_ = true;
  } else if (has_complained_) {
    logger_.info("probing goes on: the ledger can be written again");
    has_complained_ = false;
  }
}

void DurableLedger::set_allowance(const std::string& target, const Usage& allowance) {
  const bool is_new = std::find(targets_.begin(), targets_.end(), target) == targets_.end();
  ledger_.set_allowance(target, allowance, now());
  if (!is_new) return;
  targets_.push_back(target);
  if (is_damaged_) ledger_.restore(target, {{allowance, {}}}, now());
}

void DurableLedger::remove(const std::string& target) { ledger_.remove(target, now()); }

DurableLedger::Ticket DurableLedger::note(const budget::Ledger::Reservation& reservation) {
  append(budget::reserved_record(reservation));
  return last_;
}

void DurableLedger::settle(const budget::Ledger::Reservation& reservation, const Usage& used) {
  ledger_.settle(reservation, used, now());
  append(budget::settled_record(reservation, used, since_boot()));
}

void DurableLedger::append(std::string record) {
  if (durable_ == last_) waiting_since_ = now();
  last_ = file_.append(std::move(record));
  ++appended_;
}

void DurableLedger::compact() {
  std::vector<std::string> records{budget::boot_record(boot_id_)};
  for (std::string& record : budget::summary_of(ledger_, now(), since_boot())) {
    records.push_back(std::move(record));
  }
  if (durable_ == last_) waiting_since_ = now();
  last_ = file_.rewrite(std::move(records));
  appended_ = 0;
  last_compaction_ = now();
}

void DurableLedger::tick() {
  const std::string before = obstacle_;
  refresh();
  const bool is_broken = is_read_ && failure_;
  if (appended_ >= kCompactAfter || (is_broken && now() - last_compaction_ >= kTryAgain)) compact();
  if (obstacle_ != before) changed_();
}

}  // namespace storage_probe::service
