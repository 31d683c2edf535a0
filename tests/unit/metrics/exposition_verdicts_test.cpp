// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/metrics/series.h"

namespace storage_probe::metrics {
namespace {

using test::kNoon;

class VerdictSeries : public SeriesOfATarget {};

TEST_F(VerdictSeries, AreThereBeforeTheFirstVerdictWhereAlertsNeedThem) {
  load({"randread", "latency"});
  EXPECT_EQ(value("confirmed_drop", "probe=\"randread\""), 0);
  EXPECT_EQ(value("verdicts_total",
                  "probe=\"randread\",verdict=\"compliant\",reason=\"ok\",source=\"probe\""),
            0);
  EXPECT_FALSE(value("compliant", "probe=\"randread\""));
  EXPECT_FALSE(value("confirmed_drop", "probe=\"latency\"")) << "latency is not judged";
}

TEST_F(VerdictSeries, OfAnInconclusiveRunLeaveWhatWasJudgedBefore) {
  load({"randread"});
  run("randread");
  Judgement judgement{Verdict::noncompliant, Reason::below_promise, 0.7, 0.2, ""};
  recorder_.judged("db", "randread", judgement, Evidence::probe, kNoon);
  EXPECT_EQ(value("compliant", "probe=\"randread\""), 0);
  EXPECT_EQ(value("compliance_ratio", "probe=\"randread\",resource=\"iops\""), 0.7);
  EXPECT_EQ(value("compliance_ratio", "probe=\"randread\",resource=\"throughput\""), 0.2);
  judgement = {Verdict::inconclusive, Reason::cpu_limited, 0.8, {}, ""};
  recorder_.judged("db", "randread", judgement, Evidence::probe, kNoon + std::chrono::minutes{1});
  EXPECT_EQ(value("compliant", "probe=\"randread\""), 0);
  EXPECT_EQ(value("last_judged_timestamp_seconds", "probe=\"randread\""), 1.8e9);
  EXPECT_EQ(value("verdict_since_timestamp_seconds", "probe=\"randread\""), 1.8e9 + 60);
  EXPECT_EQ(
      value("verdict_info", "probe=\"randread\",verdict=\"inconclusive\",reason=\"cpu_limited\""),
      1);
  EXPECT_FALSE(value("compliance_ratio", "probe=\"randread\",resource=\"throughput\""));
}

TEST_F(VerdictSeries, CountByReasonAndByWhoseIoItWas) {
  load({"randread"});
  const Judgement good{Verdict::compliant, Reason::ok, 1.0, {}, ""};
  for (const Evidence evidence : {Evidence::probe, Evidence::passive, Evidence::passive})
    recorder_.judged("db", "randread", good, evidence, kNoon);
  const std::string of = "probe=\"randread\",verdict=\"compliant\",reason=\"ok\",source=";
  EXPECT_EQ(value("verdicts_total", of + "\"probe\""), 1);
  EXPECT_EQ(value("verdicts_total", of + "\"passive\""), 2);
  for (int i = 0; i < 20; ++i)
    recorder_.judged("db", "randread", {Verdict::noncompliant, Reason::below_promise, 0.5, {}, ""},
                     Evidence::probe, kNoon);
  EXPECT_EQ(value("recent_runs", "probe=\"randread\",verdict=\"noncompliant\""), 12);
  EXPECT_FALSE(value("recent_runs", "probe=\"randread\",verdict=\"compliant\""));
}

TEST_F(VerdictSeries, KeepTheVerdictAndLoseTheRatioWithAge) {
  load({"randread"});
  run("randread");
  recorder_.judged("db", "randread", {Verdict::compliant, Reason::ok, 1.0, {}, ""}, Evidence::probe,
                   kNoon);
  recorder_.find("db")->probes[0].verdict.confirmed_drop = true;
  snapshot_.targets = recorder_.statuses(kNoon + std::chrono::hours{10});
  const auto samples = test::parse_exposition(render(snapshot_)).samples;
  EXPECT_FALSE(samples.contains(
      "storage_probe_compliance_ratio{target=\"db\",probe=\"randread\",resource=\"iops\"}"));
  EXPECT_EQ(samples.at("storage_probe_confirmed_drop{target=\"db\",probe=\"randread\"}"), 1);
  EXPECT_EQ(samples.at("storage_probe_compliant{target=\"db\",probe=\"randread\"}"), 1);
}

TEST_F(VerdictSeries, ShowTheBaselines) {
  load({"randread", "latency"});
  EXPECT_FALSE(value("baseline_iops", "probe=\"randread\""));
  recorder_.find("db")->probes[0].verdict.baseline_iops = 3010;
  recorder_.find("db")->probes[1].baseline_latency = std::chrono::microseconds{700};
  EXPECT_EQ(value("baseline_iops", "probe=\"randread\""), 3010);
  EXPECT_EQ(value("baseline_latency_seconds", "probe=\"latency\""), 0.0007);
}

TEST_F(VerdictSeries, HaveThePromiseOfCapacityRunsOnly) {
  target_.volume.promise.iops = 3000;
  load({"latency", "randread"});
  run("latency", 200);
  run("randread");
  EXPECT_EQ(value("promise_iops", "probe=\"randread\""), 3000);
  EXPECT_FALSE(value("promise_throughput_bytes_per_second", "probe=\"randread\""));
  EXPECT_FALSE(value("promise_iops", "probe=\"latency\""));
}

TEST_F(VerdictSeries, TakeThePromiseOfTheirOwnOperation) {
  target_.volume.promise.read_iops = 15000;
  target_.volume.promise.write_iops = 9000;
  load({"randread", "randwrite", "randrw"});
  for (const std::string probe : {"randread", "randwrite", "randrw"}) run(probe);
  EXPECT_EQ(value("promise_iops", "probe=\"randread\""), 15000);
  EXPECT_EQ(value("promise_iops", "probe=\"randwrite\""), 9000);
  EXPECT_FALSE(value("promise_iops", "probe=\"randrw\""));
}

}  // namespace
}  // namespace storage_probe::metrics
