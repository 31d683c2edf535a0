// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "budget/ledger.h"
#include "config/config.h"
#include "metrics/recorder.h"
#include "model/job.h"
#include "schedule/scheduler.h"
#include "service/circumstances.h"
#include "service/durable_ledger.h"
#include "service/event_loop.h"
#include "service/history.h"
#include "service/hold_answer.h"
#include "service/holds.h"
#include "service/mode.h"
#include "service/run_log.h"
#include "service/verdicts.h"
#include "worker/pool.h"

namespace storage_probe::service {

// Turns the scheduler's decisions into children and their reports into records: the only place
// where schedule, budget, worker and metrics meet. Owned by the service, on the loop's thread. The
// loop, the recorder and the logger must outlive it.
class Runs {
 public:
  struct Settings {
    std::filesystem::path storage_path;
    std::string host_id;
    std::string procfs, sysfs;
    Mode mode = Mode::probe;
  };

  // `changed` is called whenever something that a snapshot shows has changed.
  Runs(EventLoop& loop, metrics::Recorder& recorder, Logger& logger, Settings settings,
       std::function<void()> changed);

  // Takes over the first, or a new, configuration, and what its targets are judged against.
  // Children of targets that are gone or differ are killed, and what was reserved for them counts
  // as spent.
  Result<void> configure(const config::Config& config, const std::map<std::string, Terms>& terms);

  // What an operator holds from now on. Children of held targets are killed.
  void set_holds(Holds holds);
  // What has become of the holds.
  HoldAnswer hold_answer() const;

  // To be told, once, what an earlier daemon has left; the runs have taken their part of it.
  void on_history(std::function<void(const std::vector<HistoryRecord>&)> told) {
    tell_history_ = std::move(told);
  }
  void keep(const PromiseRecord& change) { history_->note(change); }

  // Each second: kills what is overdue and starts what is due.
  void tick();
  // Kills every child. Nothing is started afterwards.
  void stop();
  // Whether it is known what earlier daemons have spent: before, nothing is started.
  bool is_ready() const { return ledger_ && ledger_->is_read(); }

  // Fills in what only the scheduler and the ledger know, and takes absent optional targets out.
  void complete(std::vector<TargetStatus>& statuses) const;
  unsigned running() const { return pool_.running(); }
  unsigned stuck() const { return pool_.stuck(); }
  Duration lag() const { return scheduler_ ? scheduler_->lag() : Duration{}; }

 private:
  struct Run {
    schedule::ProbeId id;
    std::string probe;
    budget::Ledger::Reservation reservation;
    EventLoop::Source report_source, exit_source;
    bool abandoned = false;  // was killed because nobody wants its report any more
  };

  // Reserved, and not started before the journal holds the reservation.
  struct Pending {
    schedule::Start start;
    std::string probe;
    DurableLedger::Ticket ticket;
  };

  Result<void> begin();
  void take_history(const std::vector<HistoryRecord>& records);
  void ask_for(const std::vector<Verdicts::Wish>& wishes);
  void drive();
  void pay_for(const schedule::Start& start);
  void start_paid();
  void take_back(const Pending& pending, schedule::Ending ending);
  void start(const schedule::Start& start);
  void skip(const schedule::Skip& skip);
  void watch(const std::string& target, const worker::Pool::Watch& watch);
  void on_report_readable(const std::string& target);
  void on_exit(const std::string& target);
  void on_stuck(const ProbeReport& report);
  void finish(const Run& run, const ProbeReport& report);
  void put_off(const Run& run, const ProbeReport& report);
  void held_elsewhere(const Run& run, const ProbeReport& report);
  void not_started(const schedule::Start& start, const Error& error);
  void abandon(const std::string& target, Run& run, schedule::Ending ending);
  void abandon_changed(const config::Config& next);
  void apply_holds();
  void end_held(const std::map<std::string, std::string>& held);
  void prepare_targets(const std::map<std::string, Terms>& terms);
  void note_plan();
  void forget_changed(const config::Config& next);
  bool is_absent(TargetState state, const std::string& name) const;

  Job job_for(const schedule::Start& start) const;
  schedule::Facts facts() const;
  std::optional<schedule::ProbeId> find(const std::string& target, const std::string& probe) const;

  EventLoop& loop_;
  metrics::Recorder& recorder_;
  Settings settings_;
  std::function<void()> changed_;
  Logger& logger_;
  RunLog log_;
  config::Config config_;
  Circumstances circumstances_;
  std::unique_ptr<DurableLedger> ledger_;  // from the first configure() on, as is the scheduler
  std::unique_ptr<History> history_;       // likewise
  std::function<void(const std::vector<HistoryRecord>&)> tell_history_;
  Verdicts verdicts_;
  SteadyTime last_save_;
  Holds holds_;
  std::optional<schedule::Scheduler> scheduler_;
  worker::Pool pool_;
  EventLoop::Source timer_;
  std::map<std::string, Pending> pending_;  // by target
  std::map<std::string, Run> runs_;         // by target
  bool stopping_ = false;
};

}  // namespace storage_probe::service
