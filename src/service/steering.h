// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/units.h"
#include "config/config.h"
#include "metrics/recorder.h"
#include "model/history.h"
#include "service/event_loop.h"
#include "service/promise_watch.h"
#include "service/runs.h"
#include "service/surroundings.h"

namespace storage_probe::service {

// Keeps what is in force up to date: whenever what is written, mounted, promised or found by runs
// changes, the runs are given the configuration that follows from it. Owned by the service, on the
// loop's thread; all that it is given must outlive it.
class Steering {
 public:
  struct Roots {
    std::filesystem::path procfs, sysfs;
  };
  Steering(EventLoop& loop, metrics::Recorder& recorder, Runs& runs, Logger& logger, Roots roots);

  // Takes over the first, or a new, configuration.
  Result<void> take_over(const config::Config& config);
  void tick(SteadyTime now);  // each second

 private:
  void look_around();
  void follow();
  Result<void> put_in_force();
  void remember(const std::vector<HistoryRecord>& records);

  metrics::Recorder& recorder_;
  Runs& runs_;
  Logger& logger_;
  Surroundings surroundings_;
  PromiseWatch promises_;
  std::optional<Surroundings::InForce> in_force_;
  SteadyTime last_look_;
};

}  // namespace storage_probe::service
