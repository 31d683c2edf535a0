// SPDX-License-Identifier: Apache-2.0
#include "model/allowance.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

using namespace std::chrono_literals;

TEST(Allowance, IsTheConfiguredOneWithoutAPromise) {
  const Usage allowance = allowance_of(BudgetRule{}, Promise{});
  EXPECT_EQ(allowance, (Usage{864s, Bytes{16 * kGiB.value}, Ops{4'000'000}}));
}

TEST(Allowance, IsTheSmallerOfShareAndFigure) {
  Promise promise;
  promise.iops = 3000;
  promise.throughput = 1024 * 1024;
  const Usage allowance = allowance_of(BudgetRule{}, promise);
  EXPECT_EQ(allowance.ops, Ops{2'592'000});             // 1 % of 3000 x 86400
  EXPECT_EQ(allowance.bytes, Bytes{864 * kMiB.value});  // 1 % of 1 MiB/s x 86400 s
  promise.iops = 1e9;
  promise.throughput = 1e300;
  EXPECT_EQ(allowance_of(BudgetRule{}, promise).ops, Ops{4'000'000});
  EXPECT_EQ(allowance_of(BudgetRule{}, promise).bytes, Bytes{16 * kGiB.value});
}

TEST(Allowance, TakesTheSmallerOfWhatIsPromisedApart) {
  Promise promise;
  promise.read_iops = 2000;
  promise.write_iops = 1000;
  promise.read_throughput = 1000;
  const Usage allowance = allowance_of(BudgetRule{}, promise);
  EXPECT_EQ(allowance.ops, Ops{864'000});
  EXPECT_EQ(allowance.bytes, Bytes{864'000});
}

TEST(Allowance, OfNoDutyCycleIsNoTimeAtAll) {
  BudgetRule rule;
  rule.duty_cycle = 0;
  EXPECT_EQ(allowance_of(rule, Promise{}).time, 1ns);  // 0 would not limit
}

ProbeReport report(Kind kind) {
  ProbeReport report;
  report.spec.kind = kind;
  report.measured.used[Operation::read] = {{}, Bytes{4096}, Ops{1}};
  report.measured.elapsed = 10s;
  report.layout[Operation::write] = {{}, Bytes{8192}, Ops{2}};
  report.layout_elapsed = 3s;
  return report;
}

TEST(Charge, HasTheTimeOfACapacityProbe) {
  EXPECT_EQ(charge_of(report(Kind::capacity)), (Usage{13s, Bytes{12288}, Ops{3}}));
}

TEST(Charge, LeavesTheTimeOfALatencyProbeOutButNotThatOfItsLayout) {
  EXPECT_EQ(charge_of(report(Kind::latency)), (Usage{3s, Bytes{12288}, Ops{3}}));
}

}  // namespace
}  // namespace storage_probe
