// SPDX-License-Identifier: Apache-2.0
#include "worker/run_watch.h"

#include <chrono>
#include <thread>

#include "targets/cgroup.h"
#include "worker/device_activity.h"

namespace storage_probe::worker {
namespace {

// The kernel answers a request before it counts it. No more than a moment: what is missing for
// longer was not done.
constexpr std::chrono::milliseconds kCountingLag{10};
constexpr int kMostSamples = 5;

RunFacts::Witness kind_of(const MountIdentity& identity) {
  return identity.devices.empty() ? RunFacts::Witness::server : RunFacts::Witness::device;
}

std::optional<targets::CounterSample> sample(const targets::DeviceWatch& device) {
  const auto counters = device.read();
  if (!counters) return std::nullopt;
  return targets::CounterSample{*counters, std::chrono::steady_clock::now()};
}

}  // namespace

RunWatch::RunWatch(const MountIdentity& identity, const targets::DeviceWatch::Roots& roots)
    : procfs_(roots.procfs),
      sysfs_(roots.sysfs),
      device_(identity, roots),
      witness_(kind_of(identity)),
      counters_(sample(device_)),
      ticks_(targets::read_processor_ticks(procfs_)),
      begun_(std::chrono::steady_clock::now()),
      run_delay_(targets::read_run_delay(procfs_)) {
  for (const Device& device : identity.devices) devices_.push_back(device.number);
}

RunWatch::Findings RunWatch::finish(const ProbeSpec& spec, const Measurement& measured) const {
  const auto ticks = targets::read_processor_ticks(procfs_);
  Findings findings;
  if (ticks_ && ticks) findings.facts.stolen = targets::stolen_share(*ticks_, *ticks);
  const auto run_delay = targets::read_run_delay(procfs_);
  const double seconds = to_seconds(std::chrono::steady_clock::now() - begun_);
  if (run_delay_ && run_delay && seconds > 0)
    findings.facts.waited = to_seconds(*run_delay - *run_delay_) / seconds;
  findings.facts.cgroup = targets::cgroup_limit(procfs_, sysfs_, devices_);
  if (counters_) ask_device(spec, measured, findings);
  return findings;
}

void RunWatch::ask_device(const ProbeSpec& spec, const Measurement& measured,
                          Findings& findings) const {
  findings.facts.witness = witness_;
  findings.facts.ours = answered_requests(measured);
  for (int samples = 0; samples < kMostSamples; ++samples) {
    if (samples > 0) std::this_thread::sleep_for(kCountingLag);
    const auto after = sample(device_);
    if (!after) {
      findings.facts.witness = RunFacts::Witness::lost;
      findings.device.reset();
      return;
    }
    findings.facts.counted = targets::counted_between(*counters_, *after);
    if (measured.duration > Duration{}) {
      findings.device = device_activity(device_.name(), *counters_, *after, measured);
    }
    if (!is_short(spec, findings.facts)) return;
  }
}

}  // namespace storage_probe::worker
