// SPDX-License-Identifier: Apache-2.0
#include "config/parse_probe.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

PlannedProbe only_probe(const std::string& text) {
  const Target target = only_target(text);
  return target.probes.size() == 1 ? target.probes.front() : PlannedProbe{};
}

TEST(ParseProbe, AUseIsThePresetOfItsName) {
  const PlannedProbe probe = only_probe(target_with("probes: [{use: seqread, every: 1h}]"));
  EXPECT_EQ(probe, (PlannedProbe{*find_preset("seqread"), hours(1)}));
}

TEST(ParseProbe, AUseChangesAnyKeyOfTheProbe) {
  const PlannedProbe probe = only_probe(
      target_with("probes:\n  - {use: randread, name: deep, every: 2h, pattern: sequential,\n"
                  "     block_size: 1MiB, queue_depth: 16, rings: 2, stop_early: false,\n"
                  "     limits: {time: 5s, ios: 10k, bytes: 1GiB}}"));
  ProbeSpec expected;
  expected.name = "deep";
  expected.pattern = Pattern::sequential;
  expected.block_size = kMiB;
  expected.queue_depth = 16;
  expected.rings = 2;
  expected.stop_early = false;
  expected.limits = {seconds(5), kGiB, Ops{10'000}};
  EXPECT_EQ(probe, (PlannedProbe{expected, hours(2)}));
}

TEST(ParseProbe, AutoTakesBackThePresetsDepth) {
  const auto probe =
      only_probe(target_with("probes: [{use: seqread, every: 1h, queue_depth: auto}]"));
  EXPECT_EQ(probe.spec.queue_depth, std::nullopt);
}

TEST(ParseProbe, AnIntervalThatIsNotSaidIsTheProfiles) {
  const std::string uses = target_with("probes: [{use: latency}, {use: randread}, {use: seqread}]");
  const auto intervals = [](const Target& target) {
    std::vector<Duration> all;
    for (const PlannedProbe& probe : target.probes) all.push_back(probe.every);
    return all;
  };
  EXPECT_EQ(intervals(only_target(uses)), (std::vector<Duration>{minutes(1), hours(6), hours(6)}));
  EXPECT_EQ(intervals(only_target("profile: full\n" + uses)),
            (std::vector<Duration>{minutes(1), minutes(15), hours(1)}));
}

TEST(ParseProbe, ACustomProbeIsOneBeforeItsUsesChangeIt) {
  const PlannedProbe probe =
      only_probe("probes:\n  slow: {kind: latency, rate: 2.5, limits: {time: 20s}}\n" +
                 target_with("probes: [{use: slow, every: 5m, block_size: 16KiB}]"));
  EXPECT_EQ(probe.spec.name, "slow");
  EXPECT_EQ(probe.spec.kind, Kind::latency);
  EXPECT_EQ(probe.spec.rate, 2.5);
  EXPECT_EQ(probe.spec.limits, (Usage{seconds(20), {}, {}}));
  EXPECT_EQ(probe.spec.block_size, Bytes{16384});
}

TEST(ParseProbe, AnotherKindHasAnotherKindsDefaults) {
  const PlannedProbe probe =
      only_probe(target_with("probes: [{use: seqread, name: slow, kind: latency, every: 1m}]"));
  EXPECT_EQ(probe.spec.queue_depth, std::nullopt);
  EXPECT_EQ(probe.spec.limits, find_preset("latency")->limits);
}

TEST(ParseProbe, HoldsUpTo32Probes) {
  std::string uses = "probes:";
  for (int i = 0; i < 33; ++i) uses += "\n  - {use: randread, name: p" + std::to_string(i) + "}";
  EXPECT_EQ(errors_of(target_with(uses)),
            Lines{"c.yml:5:7: targets[0].probes: 33 entries, at most 32 are possible"});
}

}  // namespace
}  // namespace storage_probe::config
