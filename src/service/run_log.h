// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/log.h"
#include "base/units.h"
#include "model/probe_report.h"
#include "service/holds.h"

namespace storage_probe::service {

// What is worth a log line in a run's life. A failing probe is data (info); a target that changes
// its state is a warning; the same words about one target come at most once an hour. Owned by Runs,
// on the loop's thread; the logger must outlive it.
class RunLog {
 public:
  explicit RunLog(Logger& logger) : logger_(logger) {}

  void finished(const ProbeReport& report, SteadyTime now);
  void skipped(const std::string& target, const std::string& probe, std::string_view reason,
               const std::string& detail);
  void not_started(const std::string& target, const std::string& why, SteadyTime now);
  void forget(const std::string& target);

  void planned(const std::string& summary);
  void held(const Holds& before, const Holds& now);
  void held_unknown(const std::string& target, SteadyTime now);
  void stopped(const std::string& target, const std::string& probe);

 private:
  void state_changed(const ProbeReport& report, SteadyTime now);
  void note_engine(const ProbeReport& report);
  bool is_news(const std::string& target, const std::string& words, SteadyTime now);

  Logger& logger_;
  std::map<std::string, std::string> states_;  // the last state and reason said of a target
  std::map<std::string, std::map<std::string, SteadyTime>> said_;  // by target and words
  std::set<std::string> engine_notes_;
};

}  // namespace storage_probe::service
