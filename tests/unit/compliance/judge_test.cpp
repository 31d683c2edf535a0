// SPDX-License-Identifier: Apache-2.0
#include "compliance/judge.h"

#include <gtest/gtest.h>

#include "unit/compliance/runs.h"

namespace storage_probe::compliance {
namespace {

using test::add_others;
using test::promised;
using test::run_at;

constexpr double kMiBps = 1024.0 * 1024;

void expect(const Judgement& judgement, Verdict verdict, Reason reason) {
  EXPECT_EQ(judgement.verdict, verdict) << judgement.detail;
  EXPECT_EQ(to_text(judgement.reason), to_text(reason)) << judgement.detail;
}

TEST(Judge, NinetyPercentIsWhatWasPromised) {
  expect(judge(run_at("randread", 2700), promised(3000), {}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randread", 2690), promised(3000), {}), Verdict::noncompliant,
         Reason::below_promise);
  EXPECT_NEAR(*judge(run_at("randread", 2100), promised(3000), {}).iops_ratio, 0.7, 1e-9);
}

TEST(Judge, CountsOthersIoAsDelivered) {
  ProbeReport report = run_at("randread", 1500);
  add_others(report, 1500, Bytes{4096});
  expect(judge(report, promised(3000), {}), Verdict::compliant, Reason::ok);
}

TEST(Judge, LargeIoThatFillsTheThroughputIsDelivery) {
  ProbeReport report = run_at("randread", 200);
  add_others(report, 480, Bytes{256 * 1024});
  const Judgement judgement = judge(report, promised(3000, 125 * kMiBps), {});
  expect(judgement, Verdict::compliant, Reason::ok);
  EXPECT_LT(*judgement.iops_ratio, 0.9);
  EXPECT_GE(*judgement.throughput_ratio, 0.9);
}

TEST(Judge, AnIoAboveTheCapCountsAsSeveral) {
  ProbeReport report = run_at("seqread", 700);
  report.spec.block_size = kMiB;
  report.measured.operations[Operation::read].bytes = Bytes{1400 * kMiB.value};
  Terms terms = promised(3000, 2000 * kMiBps);
  terms.io_cap = Bytes{256 * kKiB.value};
  EXPECT_NEAR(achieved(report, terms).iops, 2800, 1);
  expect(judge(report, terms, {}), Verdict::compliant, Reason::ok);
}

// A 256 KiB request of ours that the kernel cuts in four adds three to the device's count, and no
// bytes to its traffic.
TEST(Judge, DoesNotTakeCutRequestsForOthers) {
  ProbeReport report = run_at("seqread", 500);
  add_others(report, 1500, Bytes{0});
  EXPECT_NEAR(achieved(report, promised(3000)).iops, 500, 1e-6);
}

TEST(Judge, WhatMadeARunLookFasterComesBeforeAnyAnswer) {
  for (const auto& [doubt, reason] : {std::pair(Doubt::clock_suspect, Reason::clock_suspect),
                                      std::pair(Doubt::cache_suspect, Reason::cache_suspect),
                                      std::pair(Doubt::too_few_samples, Reason::too_few_samples)}) {
    for (const double iops : {500.0, 5000.0}) {
      ProbeReport report = run_at("randread", iops);
      report.doubts = {doubt, Doubt::unsteady};
      expect(judge(report, promised(3000), {}), Verdict::inconclusive, reason);
    }
  }
}

TEST(Judge, WhatMadeARunLookSlowerExcusesOnlyALowOne) {
  for (const auto& [doubt, reason] :
       {std::pair(Doubt::contended, Reason::contended),
        std::pair(Doubt::cgroup_limited, Reason::cgroup_limited),
        std::pair(Doubt::cpu_limited, Reason::cpu_limited),
        std::pair(Doubt::queue_depth_limited, Reason::queue_depth_limited),
        std::pair(Doubt::init_suspect, Reason::init_suspect)}) {
    ProbeReport report = run_at("randread", 2000);
    report.doubts = {doubt};
    expect(judge(report, promised(3000), {}), Verdict::inconclusive, reason);
    report = run_at("randread", 3000);
    report.doubts = {doubt};
    expect(judge(report, promised(3000), {}), Verdict::compliant, Reason::ok);
  }
}

TEST(Judge, AnUnsteadyRunIsLowOnlyWhereItsBestMomentIs) {
  ProbeReport report = run_at("randread", 2000);
  report.doubts = {Doubt::unsteady};
  report.measured.profile->rates = {1000, 3000, 1000, 3000, 2000};
  expect(judge(report, promised(3000), {}), Verdict::inconclusive, Reason::unsteady);
  report.measured.profile->rates = {1500, 2500, 1500, 2500, 2000};
  expect(judge(report, promised(3000), {}), Verdict::noncompliant, Reason::below_promise);
}

TEST(Judge, RefusesARunWhoseIosWereMerged) {
  ProbeReport report = run_at("randread", 119'000);
  add_others(report, 0, Bytes{0});
  report.device->ios = 54'000;
  expect(judge(report, promised(100'000), {}), Verdict::inconclusive, Reason::cache_suspect);
}

TEST(Judge, NeedsThePromiseThatTheBlocksAreAbout) {
  expect(judge(run_at("randread", 3000), promised(0, 125 * kMiBps), {}), Verdict::inconclusive,
         Reason::unknown_promise);
  expect(judge(run_at("seqread", 500), promised(3000), {}), Verdict::inconclusive,
         Reason::unknown_promise);
  ProbeReport between = run_at("randread", 3000);
  between.spec.block_size = Bytes{64 * kKiB.value};
  expect(judge(between, promised(3000), {}), Verdict::inconclusive, Reason::unknown_promise);
  expect(judge(between, promised(3000, 125 * kMiBps), {}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randread", 3000), Terms(), {}), Verdict::inconclusive,
         Reason::unknown_promise);
}

TEST(Judge, WithoutAPromiseSaysWhatElseIsWrong) {
  ProbeReport report = run_at("randread", 3000);
  report.doubts = {Doubt::cpu_limited};
  const Judgement judgement = judge(report, Terms(), {});
  expect(judgement, Verdict::inconclusive, Reason::cpu_limited);
  EXPECT_NE(judgement.detail.find("set volume"), std::string::npos) << judgement.detail;
}

TEST(Judge, AShareOfWhatIsNotPromisedIsNone) {
  ProbeReport report = run_at("seqread", 500);
  report.doubts = {Doubt::unsteady};
  const Judgement judgement = judge(report, promised(100), {});
  EXPECT_FALSE(judgement.ratio());
  EXPECT_EQ(judgement.detail.find('%'), std::string::npos) << judgement.detail;
}

TEST(Judge, AccusesNobodyByFiguresThatAreNotConfirmed) {
  Terms terms = promised(3000);
  terms.type = "gcp.hyperdisk-balanced";
  terms.accuses = false;
  expect(judge(run_at("randread", 3000), terms, {}), Verdict::compliant, Reason::ok);
  const Judgement low = judge(run_at("randread", 1000), terms, {});
  expect(low, Verdict::inconclusive, Reason::unknown_promise);
  EXPECT_NE(low.detail.find("not confirmed"), std::string::npos) << low.detail;
}

TEST(Judge, ALimitThatAllHostsShareAccusesNobody) {
  Terms terms = promised(3000);
  terms.limit_is_shared = true;
  expect(judge(run_at("randread", 1000), terms, {}), Verdict::inconclusive, Reason::contended);
}

// openshift/installer#4326: the disk could do 192 MB/s, the machine 128.
TEST(Judge, NamesTheInstanceWhereItIsTheLimit) {
  Terms terms = promised(0, 192e6);
  terms.instance.throughput = 128e6;
  const Judgement judgement = judge(run_at("seqread", 127e6 / (256 * 1024)), terms, {});
  expect(judgement, Verdict::compliant, Reason::instance_limited);
  EXPECT_NE(judgement.detail.find("instance"), std::string::npos) << judgement.detail;
  expect(judge(run_at("seqread", 100e6 / (256 * 1024)), terms, {}), Verdict::noncompliant,
         Reason::below_promise);
}

TEST(Judge, TheBaselineOfAnEmptyBucketIsDelivery) {
  Terms terms = promised(300);
  terms.burst.iops = 3000;
  expect(judge(run_at("randread", 300), terms, Balance{0, 0.01}), Verdict::compliant,
         Reason::burst_exhausted);
  expect(judge(run_at("randread", 1500), terms, Balance{0, 0.01}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randread", 3000), terms, Balance{0.5, 1}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randread", 250), terms, Balance{0, 0.01}), Verdict::noncompliant,
         Reason::below_promise);
}

TEST(Judge, HoldsEachOperationToItsOwnPromise) {
  Terms terms;
  terms.volume.read_iops = 15'000;
  terms.volume.write_iops = 5'000;
  expect(judge(run_at("randread", 14'000), terms, {}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randwrite", 4'800), terms, {}), Verdict::compliant, Reason::ok);
  expect(judge(run_at("randwrite", 3'000), terms, {}), Verdict::noncompliant,
         Reason::below_promise);
  // Of a mix, 75 % reads: the writes are at their limit.
  expect(judge(run_at("randrw", 19'000), terms, {}), Verdict::compliant, Reason::ok);
}

TEST(Judge, SurvivesARunWithoutDuration) {
  ProbeReport report = run_at("randread", 3000);
  report.measured.duration = {};
  expect(judge(report, promised(3000), {}), Verdict::noncompliant, Reason::below_promise);
  expect(judge(ProbeReport(), Terms(), {}), Verdict::inconclusive, Reason::unknown_promise);
}

}  // namespace
}  // namespace storage_probe::compliance
