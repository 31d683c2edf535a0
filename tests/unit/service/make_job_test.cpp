// SPDX-License-Identifier: Apache-2.0
#include "service/make_job.h"

#include <gtest/gtest.h>

#include <chrono>

#include "model/allowance.h"
#include "model/worst_case.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

const WallTime kNow{hours(1000)};

Target promised_target() {
  Target target;
  target.name = "db";
  target.path = "/data";
  target.file.size = kGiB;
  target.volume.promise.iops = 16000;
  return target;
}

TargetStatus status_with_latency(Duration p50, WallTime ended) {
  TargetStatus status;
  ProbeStatus latency;
  latency.spec = *find_preset("latency");
  RunResult result;
  result.ended = ended;
  OperationResult read;
  read.percentiles.emplace_back("50", p50);
  result.operations[Operation::read] = read;
  latency.result = result;
  status.probes.push_back(latency);
  return status;
}

TEST(MakeJob, TheDepthFollowsThePromiseAndTheIdleLatency) {
  const TargetStatus status = status_with_latency(milliseconds(2), kNow - hours(1));
  const Job job = make_job(promised_target(), *find_preset("randread"), &status, kNow);
  EXPECT_EQ(job.spec.queue_depth, 48U);  // 16,000/s x 2 ms x 1.5
  EXPECT_EQ(job.idle_latency, milliseconds(2));
}

TEST(MakeJob, TheDepthIsHalfAsMuchAgainAsTheRateTakes) {
  Target target = promised_target();
  TargetStatus status = status_with_latency(std::chrono::microseconds(500), kNow);
  EXPECT_EQ(make_job(target, *find_preset("randread"), &status, kNow).spec.queue_depth, 12U);
  target.volume.promise.iops = 3000;
  status = status_with_latency(std::chrono::microseconds(700), kNow);
  EXPECT_EQ(make_job(target, *find_preset("randread"), &status, kNow).spec.queue_depth, 4U);
}

TEST(MakeJob, TheDepthDoesNotDependOnAFileThatIsNotOurs) {
  Target target = promised_target();
  target.file.mode = ProbeFileSpec::Mode::existing;
  EXPECT_EQ(make_job(target, *find_preset("randread"), nullptr, kNow).spec.queue_depth, 24U);
}

TEST(MakeJob, ALatencyOfYesterdayCountsNoMore) {
  const TargetStatus status = status_with_latency(milliseconds(2), kNow - hours(25));
  const Job job = make_job(promised_target(), *find_preset("randread"), &status, kNow);
  EXPECT_EQ(job.spec.queue_depth, 24U);  // the usual 1 ms
  EXPECT_FALSE(job.idle_latency) << "which is a guess, and nothing to doubt by";
}

TEST(MakeJob, ALatencyThatOthersHaveMadeLongerIsNotIdle) {
  TargetStatus status = status_with_latency(milliseconds(2), kNow);
  auto& result = *status.probes.front().result;
  result.other_iops = 200;  // 0.4 in flight
  EXPECT_EQ(make_job(promised_target(), *find_preset("randread"), &status, kNow).idle_latency,
            milliseconds(2));
  result.other_iops = 300;
  const Job job = make_job(promised_target(), *find_preset("randread"), &status, kNow);
  EXPECT_FALSE(job.idle_latency);
  EXPECT_EQ(job.spec.queue_depth, 24U);  // the usual 1 ms
}

TEST(MakeJob, ALatencyProbeHasNoDepth) {
  const Job job = make_job(promised_target(), *find_preset("latency"), nullptr, kNow);
  EXPECT_FALSE(job.spec.queue_depth);
}

TEST(MakeJob, LayoutIsSlowerThanThePromise) {
  Target target = promised_target();
  target.volume.promise.throughput = 100e6;
  const Job job = make_job(target, *find_preset("randread"), nullptr, kNow);
  EXPECT_DOUBLE_EQ(job.layout_rate.value_or(0), 25e6);
}

TEST(FleetTerms, AreTheBudgetOfTheTargetAndWhatTheRunTakesOfIt) {
  Target target = promised_target();
  const PlannedProbe probe{*find_preset("randread"), hours(6)};
  const Usage run = worst_case(target, probe.spec);
  const Usage layout{std::chrono::seconds(9), kGiB, Ops{99}};
  const FleetTerms terms = fleet_terms(target, probe, run + layout);
  EXPECT_EQ(terms.worst_case, run);
  EXPECT_EQ(terms.layout, layout);
  EXPECT_EQ(terms.allowance, allowance_of(target.budget, target.volume.promise));
  EXPECT_EQ(terms.returns_in, std::chrono::seconds(17));
}

TEST(FleetTerms, CountBytesAsTheTypeMetersThem) {
  Target target = promised_target();
  target.volume.type = "aws.efs.elastic";
  const PlannedProbe probe{*find_preset("seqread"), hours(6)};
  const Usage run = worst_case(target, probe.spec);
  const FleetTerms terms = fleet_terms(target, probe, run);
  EXPECT_EQ(terms.worst_case.bytes.value, (run.bytes.value + 2) / 3);
  EXPECT_EQ(terms.layout, Usage{});
}

TEST(MakeJob, SaysWhatADayAddsToTheFile) {
  Target target = promised_target();
  target.budget.bytes_per_day = kMiB;
  EXPECT_EQ(make_job(target, *find_preset("randread"), nullptr, kNow).layout_per_day, kMiB);
}

}  // namespace
}  // namespace storage_probe::service
