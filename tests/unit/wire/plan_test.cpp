// SPDX-License-Identifier: Apache-2.0
#include "wire/plan.h"

#include <gtest/gtest.h>

namespace storage_probe::wire {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

PlanCost sample() {
  ProbeCost probe;
  probe.probe = "randread";
  probe.every = hours(6);
  probe.runs = 4;
  probe.paid_runs = 3;
  probe.run = {seconds(2), Bytes{4096}, Ops{1}};
  probe.day = {seconds(6), Bytes{3 * 4096}, Ops{3}};
  probe.promise_share = 0.5;
  probe.added_latency = milliseconds(2);
  probe.allowance_share = 0.25;
  TargetCost target{"db", {probe}, {{}, kGiB, Ops{12}}, {}, probe.day, {}, 0.5, 0.25};
  return {{target}, probe.day, {}, {}};
}

TEST(PlanJson, HasEachProbeWithItsPeriods) {
  const std::string text = plan_json(sample());
  for (const char* const part :
       {R"("target":"db")", R"("interval_seconds":21600.0)", R"("runs_per_day":4.0)",
        R"("paid_runs_per_day":3.0)", R"("per_run":{"ios":1,"bytes":4096,"seconds":2.0})",
        R"("per_day":{"ios":3,"bytes":12288,"written_bytes":0,"seconds":6.0})",
        R"("per_month":{"ios":90,"bytes":368640,"written_bytes":0,"seconds":180.0})",
        R"("promise_share_ratio":0.5)", R"("added_latency_seconds":0.002)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
  }
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(PlanJson, HasWhatAVolumesTypeMakesOfIt) {
  PlanCost cost = sample();
  EXPECT_EQ(plan_json(cost).find("volume_type"), std::string::npos);
  TypeCost& type = cost.targets[0].by_type;
  type.type = "aws.x";
  type.credits = {{Bucket::Unit::ios, 3e6, 0.5}};
  type.bill = Bill{0.5, 0.25, "us-east-1", "2026-06", "s", true};
  type.warnings = {"w"};
  const std::string text = plan_json(cost);
  for (const char* const part :
       {R"("volume_type":"aws.x")",
        R"("credits":[{"unit":"ios","per_day":3000000.0,"earned_share_ratio":0.5}])",
        R"("bill":{"dollars_per_day":0.5,"dollars_per_month":15.0,"dollars_once":0.25,)"
        R"("region":"us-east-1","source":"s","as_of":"2026-06","confirmed":true})",
        R"("warnings":["w"])"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in " << text;
}

TEST(PlanJson, LeavesOutWhatIsNotKnown) {
  PlanCost cost = sample();
  cost.targets[0].promise_share.reset();
  cost.targets[0].probes[0].promise_share.reset();
  cost.targets[0].probes[0].added_latency.reset();
  const std::string text = plan_json(cost);
  EXPECT_EQ(text.find("promise_share"), std::string::npos) << text;
  EXPECT_EQ(text.find("added_latency"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("allowance_per_day":{"ios":12,"bytes":1073741824})"), std::string::npos)
      << "no limit of seconds: " << text;
}

TEST(PlanJson, WithoutTargetsItIsStillAnObject) {
  EXPECT_EQ(plan_json({}).find(R"({"targets":[])"), 0U) << plan_json({});
}

}  // namespace
}  // namespace storage_probe::wire
