// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace storage_probe::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

PlanCost sample() {
  ProbeCost probe;
  probe.probe = "randread";
  probe.every = minutes(15);
  probe.runs = 96;
  probe.paid_runs = 61;
  probe.run = {seconds(2), Bytes{50'001UL * 4096}, Ops{50'001}};
  probe.day = {seconds(122), Bytes{61UL * 50'001 * 4096}, Ops{61 * 50'001}};
  probe.promise_share = 0.0118;
  probe.added_latency = milliseconds(2);
  probe.allowance_share = 0.98;
  TargetCost target{
      "db", {probe}, {seconds(864), Bytes{16 * kGiB.value}, Ops{2'592'000}}, {}, {}, {}, {}, 0};
  target.layout = {seconds(10), kGiB, Ops{1032}};
  target.day = probe.day;
  return {{target}, target.day, {}, target.layout};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanTable, SaysWhatAProbeCostsAndWhereTheBudgetCutsIt) {
  const std::string text = plan_table(sample(), {});
  EXPECT_TRUE(contains(text, "61 of 96")) << text;
  EXPECT_TRUE(contains(text, "the budget allows 61 of 96 runs a day")) << text;
  EXPECT_TRUE(contains(text, "1.2 %")) << text;
  EXPECT_TRUE(contains(text, "2 ms")) << text;
  EXPECT_TRUE(contains(text, "98 %")) << text;
  EXPECT_TRUE(contains(text, "1 GiB written for the probe file")) << text;
}

TEST(PlanTable, FitsEightyColumnsAndHasNoColourInAFile) {
  std::istringstream lines(plan_table(sample(), {}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_FALSE(contains(plan_table(sample(), {}), "\x1b"));
  EXPECT_TRUE(contains(plan_table(sample(), {Glyphs::ascii, Ink::coloured}), "\x1b"));
}

TEST(PlanTable, WithoutAPromiseItsShareIsUnknown) {
  PlanCost cost = sample();
  cost.targets[0].probes[0].promise_share.reset();
  cost.targets[0].probes[0].added_latency.reset();
  EXPECT_TRUE(contains(plan_table(cost, {}), "n/a     n/a")) << plan_table(cost, {});
}

TEST(PlanTable, SaysWhatAVolumesTypeMakesOfIt) {
  PlanCost cost = sample();
  TypeCost& type = cost.targets[0].by_type;
  type.type = "aws.x";
  type.credits = {{Bucket::Unit::ios, 3e6, 0.046}, {Bucket::Unit::bytes, 1024 * 1024, 0.5}};
  type.bill = Bill{1.234, 0.001, "us-east-1", "2026-06", "https://example.com/prices", false};
  type.warnings = {"randread: " + std::string(30, 'x') + " " + std::string(60, 'y')};
  const std::string text = plan_table(cost, {});
  EXPECT_TRUE(contains(text, "up to 3M I/O credits a day, 4.6 % of what it earns")) << text;
  EXPECT_TRUE(contains(text, "up to 1 MiB of throughput credits a day, 50 %")) << text;
  EXPECT_TRUE(contains(text, "aws.x bills I/O: $1.23 a day, $37.02 a month, less than $0.01"))
      << text;
  EXPECT_TRUE(contains(text, "not confirmed")) << text;
  EXPECT_TRUE(contains(text, "xxx\n    yyy")) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(PlanTable, AddsTargetsUpWhereThereAreSeveral) {
  PlanCost cost = sample();
  EXPECT_FALSE(contains(plan_table(cost, {}), "all targets"));
  cost.targets.push_back(cost.targets[0]);
  EXPECT_TRUE(contains(plan_table(cost, {}), "all targets"));
}

TEST(PlanTable, WithoutTargetsItSaysSo) { EXPECT_TRUE(contains(plan_table({}, {}), "No targets")); }

}  // namespace
}  // namespace storage_probe::cli
