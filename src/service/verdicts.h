// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/units.h"
#include "compliance/burst.h"
#include "compliance/course.h"
#include "compliance/passive.h"
#include "metrics/recorder.h"
#include "model/device_second.h"
#include "model/history.h"
#include "model/probe_report.h"
#include "model/target.h"
#include "model/terms.h"
#include "service/history.h"

namespace storage_probe::service {

// What runs, and the application's own load, prove about the volumes: feeds the judge, the credit
// models and the course of each probe, and writes what comes out into the recorder, the log and the
// history. Owned by Runs, on the loop's thread; recorder and logger must outlive it.
class Verdicts {
 public:
  // A probe that should run soon, and within a minute.
  struct Wish {
    std::string target, probe;
  };

  Verdicts(metrics::Recorder& recorder, Logger& logger, std::string kernel)
      : recorder_(recorder), logger_(logger), kernel_(std::move(kernel)) {}

  // What the target's runs are judged against from now on. What was learned of a volume stays while
  // it does.
  void set_terms(const Target& target, const Terms& terms);
  void forget(const std::string& target);

  // What an earlier daemon has left. A result that is shown again is as old as it is.
  void remember(const std::vector<HistoryRecord>& records, WallTime now);

  // The report has been recorded.
  std::vector<Wish> on_run(const ProbeReport& report, History* history, SteadyTime now);
  // A due run was not started: a second opinion was not to be had.
  void on_skip(const std::string& target, const std::string& probe, WallTime now);
  // What devices did in the last second.
  std::vector<Wish> on_seconds(const std::map<std::string, DeviceSecond>& seconds, SteadyTime now);
  // Each minute or so: what the next daemon would not know.
  void save(History& history, WallTime now) const;

  // Probes, by target and name, whose question was answered by others' load less than `every` ago.
  std::set<std::pair<std::string, std::string>> answered(SteadyTime now) const;

 private:
  struct Probe {
    compliance::Course course;
    std::optional<SteadyTime> asked;     // for a second opinion
    Evidence first = Evidence::probe;    // what wants one
    std::optional<SteadyTime> answered;  // by others' load
    bool had_drop = false;               // as last said
  };
  struct Volume {
    Target target;
    Terms terms;
    std::string volume;                  // its volume_key(); empty: not known yet
    std::optional<MountIdentity> found;  // by a run
    compliance::Burst burst;
    compliance::Passive passive;
    std::optional<SteadyTime> suspected;  // when a capacity probe was last asked for
    std::map<std::string, Probe> probes;
  };

  Volume* find(const std::string& target);
  void note_volume(Volume& volume, const MountIdentity& identity);
  std::vector<Wish> take(Volume& volume, const RunRecord& run, SteadyTime now);
  std::vector<Wish> take_passive(Volume& volume, const compliance::PassiveRun& found,
                                 SteadyTime now);
  static std::vector<Wish> suspect(Volume& volume, SteadyTime now);
  void give_up_waiting(Volume& volume, SteadyTime now);
  void show(Volume& volume);
  void show_again(const LatestResult& latest);
  void remember_run(const RunRecord& run);
  void note_in(History& history, RunRecord run);
  RunRecord record_of(const Volume& volume, const ProbeReport& report) const;

  metrics::Recorder& recorder_;
  Logger& logger_;
  std::string kernel_;
  std::map<std::string, Volume> volumes_;  // by target
};

}  // namespace storage_probe::service
