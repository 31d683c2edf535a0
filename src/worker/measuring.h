// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/probe_file.h"
#include "engine/rings.h"
#include "engine/run.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/attempts.h"
#include "worker/reporter.h"

namespace storage_probe::worker {

// The measuring of one run: the workload on an open probe file, its attempts, and what speaks
// against their figures. Made by ProbeRun for one execute(); all that it is given must outlive it.
class Measuring {
 public:
  struct Outcome {
    ProbeSpec spec;  // as run
    Attempt attempt;
    std::vector<Doubt> doubts;
    std::optional<Failure> failure;  // then the rest is what was measured so far
  };

  Measuring(const Job& job, const Reporter& reporter, const engine::ProbeFile& file,
            const MountIdentity& identity);
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;
  ~Measuring() = default;

  Outcome execute();

 private:
  std::optional<Failure> plan_workload();
  Result<Attempt> run(const Approach& approach);
  Result<engine::RingsRun> run_engine(const Approach& approach);
  std::function<bool(Ops)> end_for_others() const;
  Goal goal() const;
  Background background(const Attempt& attempt) const;

  const Job& job_;
  const Reporter& reporter_;
  const engine::ProbeFile& file_;
  const MountIdentity& identity_;
  ProbeSpec spec_;
  engine::Workload workload_;
};

}  // namespace storage_probe::worker
