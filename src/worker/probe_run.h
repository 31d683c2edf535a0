// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "engine/buffer_pool.h"
#include "engine/checked.h"
#include "engine/open_queue.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "engine/run.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/reporter.h"

namespace storage_probe::worker {

// One run from the first open to the last counter, inside a worker: open, preflight, lay out what
// is missing, measure. Made for one execute(); the job and the reporter must outlive it. Its
// destructor gives the file and the queue back, which may hang with the target: report first.
class ProbeRun {
 public:
  ProbeRun(const Job& job, const Reporter& reporter) : job_(job), reporter_(reporter) {}
  ProbeRun(const ProbeRun&) = delete;
  ProbeRun& operator=(const ProbeRun&) = delete;
  ~ProbeRun() = default;

  ProbeReport execute();

 private:
  using OpenedFile = engine::Checked<engine::ProbeFile>;

  std::optional<Failure> prepare();
  OpenedFile open_device();
  OpenedFile open_on_mount();
  OpenedFile find_or_lay_out(const engine::CheckedDirectory& directory);
  OpenedFile lay_out(const engine::CheckedDirectory& directory);
  engine::FileRequest request() const;

  std::optional<Failure> measure();
  std::optional<Failure> plan_workload();
  std::optional<Failure> open_queue();
  std::optional<Failure> run_engine();

  const Job& job_;
  const Reporter& reporter_;
  ProbeReport report_;
  engine::Workload workload_;
  // In the order in which they need each other.
  std::optional<engine::ProbeFile> file_;
  std::optional<engine::BufferPool> buffers_;
  std::unique_ptr<engine::IoQueue> queue_;
};

}  // namespace storage_probe::worker
