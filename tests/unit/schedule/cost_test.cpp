// SPDX-License-Identifier: Apache-2.0
#include "schedule/cost.h"

#include <gtest/gtest.h>

#include "model/allowance.h"
#include "model/worst_case.h"
#include "schedule/plan.h"
#include "unit/schedule/world.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using test::config_of;
using test::planned;

Target with_promise(std::vector<PlannedProbe> probes) {
  Target target = test::target("db", std::move(probes));
  target.volume.promise.iops = 3000;
  target.volume.promise.throughput = 125.0 * 1024 * 1024;
  return target;
}

TEST(Cost, OfARunIsTheWorstCaseThatTheDaemonReserves) {
  const Target target =
      with_promise({planned("randread", hours(6)), planned("latency", minutes(1))});
  const TargetCost cost = cost_of(config_of({target})).targets.at(0);
  EXPECT_EQ(cost.allowance, allowance_of(target.budget, target.volume.promise));
  for (std::size_t i = 0; i < cost.probes.size(); ++i)
    EXPECT_EQ(cost.probes[i].run, worst_case(target, target.probes[i].spec));
  EXPECT_EQ(cost.layout, layout_usage(target));
}

TEST(Cost, OfADayIsThatOfItsRuns) {
  const Target target =
      with_promise({planned("randread", hours(6)), planned("latency", minutes(1))});
  const TargetCost cost = cost_of(config_of({target})).targets.at(0);
  EXPECT_DOUBLE_EQ(cost.probes[0].runs, 4);
  EXPECT_DOUBLE_EQ(cost.probes[1].runs, 1440);
  for (const ProbeCost& probe : cost.probes) {
    EXPECT_DOUBLE_EQ(probe.paid_runs, probe.runs) << probe.probe;
    EXPECT_EQ(probe.day.ops.value, probe.run.ops.value * static_cast<std::uint64_t>(probe.runs));
    EXPECT_EQ(probe.written.value, 0U);
  }
  EXPECT_EQ(cost.day, cost.probes[0].day + cost.probes[1].day);
}

TEST(Cost, SharesAreOfThePromiseAndOfTheAllowance) {
  const TargetCost cost =
      cost_of(config_of({with_promise({planned("latency", minutes(1))})})).targets.at(0);
  const ProbeCost& probe = cost.probes.at(0);
  const double ios = 1440.0 * static_cast<double>(probe.run.ops.value);
  ASSERT_TRUE(probe.promise_share);
  EXPECT_NEAR(*probe.promise_share, ios / (3000.0 * 86400), 1e-9);
  EXPECT_NEAR(probe.allowance_share, ios / static_cast<double>(cost.allowance.ops.value), 1e-9);
  EXPECT_EQ(probe.added_latency, from_seconds(1.0 / 3000));
}

TEST(Cost, WithoutAPromiseItsShareIsUnknown) {
  const ProbeCost probe = cost_of(config_of({test::target("db", {planned("randread", hours(6))})}))
                              .targets[0]
                              .probes[0];
  EXPECT_FALSE(probe.promise_share);
  EXPECT_FALSE(probe.added_latency);
}

TEST(Cost, WaitingBehindAQueueTakesTheSlowerOfIopsAndBytes) {
  Target target = with_promise({planned("seqread", hours(6))});
  target.probes[0].spec.queue_depth = 8;
  const ProbeCost probe = cost_of(config_of({target})).targets[0].probes[0];
  EXPECT_EQ(probe.added_latency, from_seconds(8 * 256.0 / 1024 / 125))
      << "8 x 256 KiB at 125 MiB/s";
}

TEST(Cost, WhatAWriteProbeWritesIsItsShareOfTheBlocks) {
  Target target = with_promise({planned("randrw", hours(6))});
  target.probes[0].spec.limits = {std::chrono::seconds(2), {}, Ops{1000}};
  const ProbeCost probe = cost_of(config_of({target})).targets[0].probes[0];
  EXPECT_EQ(probe.written.value, 4 * 1000 * 4096UL / 4);
}

TEST(Cost, NeverPlansMoreThanTheAllowanceAndCutsTheDearestRuns) {
  const Target target =
      with_promise({planned("randread", minutes(15)), planned("latency", minutes(1))});
  const TargetCost cost = cost_of(config_of({target})).targets.at(0);
  EXPECT_DOUBLE_EQ(cost.probes[1].paid_runs, 1440) << "latency probes are cheap";
  EXPECT_LT(cost.probes[0].paid_runs, 96);
  EXPECT_GT(cost.probes[0].paid_runs, 0);
  EXPECT_LE(cost.day.ops, cost.allowance.ops);
  EXPECT_LE(cost.day.bytes, cost.allowance.bytes);
  EXPECT_LE(cost.allowance_share, 1);
}

TEST(Cost, ARunThatTheAllowanceNeverPaysForIsNotPlanned) {
  Target target = test::target("db", {planned("randread", hours(6))});
  target.budget.ios_per_day = Ops{1000};
  const ProbeCost probe = cost_of(config_of({target})).targets[0].probes[0];
  EXPECT_DOUBLE_EQ(probe.paid_runs, 0);
  EXPECT_EQ(probe.day, Usage{});
}

TEST(Cost, WindowsLeaveFewerRuns) {
  config::Config config =
      config_of({with_promise({planned("randread", hours(6)), planned("seqread", hours(1)),
                               planned("latency", minutes(1))})});
  config.windows.capacity = {{hours(1), hours(5)}};
  const auto probes = cost_of(config).targets[0].probes;
  EXPECT_LE(probes[0].runs, 2) << "once in each window, whatever the interval";
  EXPECT_GE(probes[0].runs, 1);
  EXPECT_DOUBLE_EQ(probes[1].runs, 5);
  EXPECT_DOUBLE_EQ(probes[2].runs, 1440) << "the window is not about latency probes";
}

TEST(Cost, TheBudgetOfADayPaysForAsManyRunsAsThePlanSays) {
  // The ledger itself, at each slot of three days; the first one begins with a full bucket.
  const Target target =
      with_promise({planned("randread", minutes(15)), planned("latency", minutes(1))});
  const TargetCost cost = cost_of(config_of({target})).targets.at(0);
  budget::Ledger ledger;
  SteadyTime now{hours(1000)};
  ledger.set_allowance("db", cost.allowance, now);
  std::array<double, 2> paid{};
  for (int minute = 0; minute < 3 * 1440; ++minute, now += minutes(1)) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (i == 0 && minute % 15 != 0) continue;
      const auto reservation = ledger.reserve("db", cost.probes[i].run, now);
      if (!reservation) continue;
      ledger.settle(*reservation, cost.probes[i].run, now);
      if (minute >= 1440) paid[i] += 0.5;
    }
  }
  EXPECT_NEAR(paid[0], cost.probes[0].paid_runs, 2);
  EXPECT_NEAR(paid[1], cost.probes[1].paid_runs, 15) << "one in a hundred loses to the large one";
}

TEST(Cost, TheSummaryIsOneLine) {
  const std::string text =
      summary(cost_of(config_of({with_promise({planned("latency", minutes(1))})})));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("over 1 target;"), std::string::npos) << text;
}

}  // namespace
}  // namespace storage_probe::schedule
