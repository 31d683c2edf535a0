// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/measuring.h"
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
  std::optional<Failure> yield_to_others() const;

  std::optional<Failure> measure();

  const Job& job_;
  const Reporter& reporter_;
  ProbeReport report_;
  std::optional<engine::ProbeFile> file_;
  std::optional<Measuring> measuring_;  // on the file
};

}  // namespace storage_probe::worker
