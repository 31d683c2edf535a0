// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "engine/probe_file.h"
#include "engine/run.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/attempts.h"
#include "worker/reporter.h"

namespace storage_probe::worker {

// The measuring of one run: the workload on an open probe file, its attempts, and what speaks
// against their figures. Made by ProbeRun for one execute(); all that it is given must outlive it.
// Its destructor gives the queues back, which may hang with the target.
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
  Result<void> open(const Approach& approach);
  Result<Attempt> run(const Approach& approach);
  Background background() const;

  const Job& job_;
  const Reporter& reporter_;
  const engine::ProbeFile& file_;
  const MountIdentity& identity_;
  ProbeSpec spec_;
  engine::Workload workload_;
  // In the order in which they need each other. A queue is kept after its attempt: idle, it costs
  // nothing, and giving it back might take long.
  std::optional<engine::BufferPool> buffers_;
  std::vector<std::unique_ptr<engine::IoQueue>> queues_;  // the last one is in use
  Engine engine_ = Engine::automatic;                     // of the last one
  std::string engine_note_;
};

}  // namespace storage_probe::worker
