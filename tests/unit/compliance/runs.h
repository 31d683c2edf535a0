// SPDX-License-Identifier: Apache-2.0
// Finished runs to judge.
#pragma once

#include <chrono>

#include "model/probe_report.h"
#include "model/terms.h"

namespace storage_probe::test {

// Two seconds of `probe` at this rate, evenly.
inline ProbeReport run_at(const char* probe, double iops) {
  ProbeReport report;
  report.spec = *find_preset(probe);
  report.spec.queue_depth = report.spec.queue_depth.value_or(32);
  report.outcome = Outcome::ok;
  Measurement& measured = report.measured;
  measured.duration = std::chrono::seconds(2);
  measured.elapsed = std::chrono::milliseconds(2250);
  const double reads = report.spec.read_percent / 100.0;
  for (const Operation operation : {Operation::read, Operation::write}) {
    const double share = operation == Operation::read ? reads : 1 - reads;
    OperationStats& stats = measured.operations[operation];
    stats.ios = static_cast<std::uint64_t>(2 * iops * share + 0.5);
    stats.bytes = Bytes{stats.ios * report.spec.block_size.value};
    if (stats.ios > 0)
      stats.latency.record(from_seconds(*report.spec.queue_depth / iops), stats.ios);
  }
  RateProfile& profile = measured.profile.emplace();
  profile.window = std::chrono::milliseconds(200);
  profile.rates.assign(10, iops);
  profile.steady = true;
  return report;
}

// Others' I/O on the device meanwhile.
inline void add_others(ProbeReport& report, double iops, Bytes size) {
  const auto& operations = report.measured.operations;
  DeviceActivity& device = report.device.emplace();
  device.name = "nvme1n1";
  device.other_iops = iops;
  device.other_throughput = iops * static_cast<double>(size.value);
  device.ios = operations[Operation::read].ios + operations[Operation::write].ios +
               static_cast<std::uint64_t>(2 * iops);
}

inline Terms promised(double iops, double throughput = 0) {
  Terms terms;
  if (iops > 0) terms.volume.iops = iops;
  if (throughput > 0) terms.volume.throughput = throughput;
  terms.volume.from = "config";
  return terms;
}

}  // namespace storage_probe::test
