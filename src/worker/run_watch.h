// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/target.h"
#include "targets/device_watch.h"
#include "targets/host.h"
#include "worker/doubts.h"

namespace storage_probe::worker {

// Looks at the host and the device around one attempt: from its construction to finish(). On the
// stack of who makes the attempt.
class RunWatch {
 public:
  struct Findings {
    RunFacts facts;
    std::optional<DeviceActivity> device;
  };

  RunWatch(const MountIdentity& identity, const targets::DeviceWatch::Roots& roots);

  Findings finish(const ProbeSpec& spec, const Measurement& measured) const;

 private:
  void ask_device(const ProbeSpec& spec, const Measurement& measured, Findings& findings) const;

  std::filesystem::path procfs_, sysfs_;
  std::vector<std::string> devices_;  // numbers, of all the stack
  targets::DeviceWatch device_;
  RunFacts::Witness witness_;
  std::optional<targets::CounterSample> counters_;
  std::optional<targets::ProcessorTicks> ticks_;
  SteadyTime begun_;
  std::optional<Duration> run_delay_;
};

}  // namespace storage_probe::worker
