// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schedule/scheduler.h"
#include "unit/schedule/world.h"

namespace storage_probe::schedule {
namespace {

using namespace std::chrono_literals;

std::vector<Target> usual_targets(std::int64_t count) {
  std::vector<Target> targets;
  for (std::int64_t n = 0; n < count; ++n)
    targets.push_back(test::target("t" + std::to_string(n),
                                   {test::planned("latency", 1min), test::planned("randread", 6h),
                                    test::planned("seqread", 6h)}));
  return targets;
}

// One answer of next() and what follows from it: the clock jumps to what is due next, and a started
// probe has ended before the next question, which is settled with the ledger.
void decide(benchmark::State& state) {
  const config::Config config = test::config_of(usual_targets(state.range(0)));
  Facts facts{test::World::kStart, {}, {}, {}};
  budget::Ledger ledger;
  for (const Target& target : config.targets)
    ledger.set_allowance(target.name, {24h, Bytes{1ULL << 50U}, Ops{1ULL << 40U}}, facts.now);
  Scheduler scheduler(config, ledger, "0123456789abcdef", facts.now);
  for (auto _ : state) {
    const Decision decision = scheduler.next(facts);
    if (const auto* start = std::get_if<Start>(&decision)) {
      ledger.settle(start->reservation, start->reservation.amount, facts.now);
      scheduler.on_finished(start->id, Ending::finished, facts.now);
    } else if (const auto* wait = std::get_if<WaitUntil>(&decision)) {
      facts.now = wait->when;
    }
  }
}
BENCHMARK(decide)->Arg(10)->Arg(256);

}  // namespace
}  // namespace storage_probe::schedule
