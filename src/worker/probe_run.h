// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "worker/measuring.h"
#include "worker/reporter.h"
#include "worker/shared_mount.h"

namespace storage_probe::worker {

// One run from the first open to the last counter, inside a worker: open, preflight, lay out what
// is missing, measure. Made for one execute(); the reporter must outlive it. Its
// destructor gives the file and the queue back, which may hang with the target: report first.
class ProbeRun {
 public:
  ProbeRun(Job job, const Reporter& reporter) : job_(std::move(job)), reporter_(reporter) {}
  ProbeRun(const ProbeRun&) = delete;
  ProbeRun& operator=(const ProbeRun&) = delete;
  ~ProbeRun() = default;

  ProbeReport execute();

 private:
  using OpenedFile = engine::Checked<engine::ProbeFile>;

  std::optional<Failure> prepare();
  std::optional<Failure> agree_with_fleet(const engine::CheckedDirectory& directory);
  std::optional<Failure> put_off(std::optional<SharedMount::Refusal> refusal);
  void settle_with_fleet();
  OpenedFile open_device();
  OpenedFile open_on_mount();
  OpenedFile find_or_lay_out(const engine::CheckedDirectory& directory);
  OpenedFile lay_out_on_turn(const engine::CheckedDirectory& directory);
  OpenedFile lay_out(const engine::CheckedDirectory& directory);
  engine::FileRequest request() const;
  std::optional<Failure> yield_to_others() const;

  std::optional<Failure> measure();

  Job job_;
  const Reporter& reporter_;
  ProbeReport report_;
  std::string boot_id_;
  std::optional<SharedMount> fleet_;  // where other hosts have a say
  std::optional<engine::ProbeFile> file_;
  std::optional<Measuring> measuring_;  // on the file
};

}  // namespace storage_probe::worker
