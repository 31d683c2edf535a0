// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "metrics/exposition.h"
#include "metrics/recorder.h"
#include "support/sample_status.h"

namespace storage_probe::metrics {
namespace {

// So many targets, each with a result of its three probes.
Snapshot snapshot_of(std::int64_t targets) {
  std::vector<Target> configured;
  for (std::int64_t n = 0; n < targets; ++n)
    configured.push_back(
        test::sample_target("t" + std::to_string(n), {"latency", "randread", "seqread"}));
  Recorder recorder;
  recorder.configure(configured);
  for (const Target& target : configured)
    for (const PlannedProbe& probe : target.probes)
      recorder.record(test::finished_report(target, probe.spec.name, 1000, test::kNoon));
  Snapshot snapshot;
  snapshot.ready = true;
  snapshot.taken = test::kNoon;
  snapshot.targets = recorder.statuses(test::kNoon);
  return snapshot;
}

void render_exposition(benchmark::State& state) {
  const Snapshot snapshot = snapshot_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(render(snapshot));
}
BENCHMARK(render_exposition)->Arg(10)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace storage_probe::metrics
