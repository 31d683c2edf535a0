// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/record_file.h"
#include "budget/ledger.h"
#include "service/event_loop.h"

namespace storage_probe::service {

// The ledger with its journal in the state directory, so that a daemon that is killed at any moment
// has counted too much at worst. The ledger answers from memory; what it has reserved may be spent
// once the journal holds it. Where the journal cannot be read or written, obstacle() says so, and
// nothing may be spent. Owned by Runs, on the loop's thread, which never waits for the disk.
class DurableLedger {
 public:
  using Ticket = std::uint64_t;

  // `changed` is called when an answer below may have changed. The loop and the logger must outlive
  // the ledger.
  static Result<std::unique_ptr<DurableLedger>> open(EventLoop& loop,
                                                     const std::filesystem::path& storage_path,
                                                     Logger& logger, std::function<void()> changed);

  // To reserve and to ask; everything else goes through here.
  budget::Ledger& ledger() { return ledger_; }
  const budget::Ledger& ledger() const { return ledger_; }

  void set_allowance(const std::string& target, const Usage& allowance);
  void remove(const std::string& target);

  Ticket note(const budget::Ledger::Reservation& reservation);
  bool is_durable(Ticket ticket) const { return ticket <= durable_; }
  void settle(const budget::Ledger::Reservation& reservation, const Usage& used);

  bool is_read() const { return is_read_; }  // what earlier daemons have spent is known
  // Why nothing may be spent now; empty: it may.
  const std::string& obstacle() const { return obstacle_; }

  void tick();  // each second

 private:
  DurableLedger(RecordFile file, std::string boot_id, Logger& logger,
                std::function<void()> changed);

  void on_event();
  void take_over(const RecordFile::Contents& contents);
  void refresh();
  std::string find_obstacle() const;
  void look_for_obstacles();
  void append(std::string record);
  void compact();

  RecordFile file_;
  const std::string boot_id_;
  Logger& logger_;
  std::function<void()> changed_;
  EventLoop::Source source_;
  budget::Ledger ledger_;
  std::vector<std::string> targets_;  // that ever had an allowance
  bool is_read_ = false;
  bool is_damaged_ = false;  // what was spent is not known
  std::optional<Error> failure_;
  std::string obstacle_;
  bool has_complained_ = false;  // of the obstacle
  Ticket durable_ = 0;
  Ticket last_ = 0;
  SteadyTime waiting_since_;  // for the disk: since it last answered, or was first asked
  unsigned appended_ = 0;     // since the last compaction
  SteadyTime last_compaction_;
};

}  // namespace storage_probe::service
