// SPDX-License-Identifier: Apache-2.0
#include "service/verdicts.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/sample_status.h"
#include "unit/compliance/runs.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using test::kNoon;

class VerdictsTest : public testing::Test {
 protected:
  VerdictsTest() { configure(test::promised(3000)); }

  void configure(const Terms& terms) {
    recorder_.configure({target_});
    verdicts_.set_terms(target_, terms);
  }
  std::vector<Verdicts::Wish> run(double iops, const std::string& volume = "vol-1") {
    return report(test::run_at("randread", iops), volume);
  }
  std::vector<Verdicts::Wish> report(ProbeReport report, const std::string& volume = "vol-1") {
    wall_ += minutes(15);
    now_ += minutes(15);
    report.target = "db";
    report.ended = wall_;
    report.engine = Engine::io_uring;
    report.state = TargetState::ready;
    report.identity.volume_id = volume;
    recorder_.record(report);
    return verdicts_.on_run(report, nullptr, now_);
  }
  ProbeReport latency(Duration each) {
    ProbeReport report = test::run_at("latency", 20);
    LatencyHistogram& histogram = report.measured.operations[Operation::read].latency;
    histogram = {};
    histogram.record(each, 200);
    return report;
  }
  void device(int count, double iops, double in_flight) {
    for (int i = 0; i < count; ++i) {
      now_ += seconds(1);
      DeviceSecond second;
      second.end = now_;
      second.length = seconds(1);
      second.reads = Ops{static_cast<std::uint64_t>(iops)};
      second.bytes_read = Bytes{second.reads.value * 4096};
      second.in_flight = second.in_flight_at_end = in_flight;
      for (auto& wish : verdicts_.on_seconds({{"db", second}}, now_))
        wishes_.push_back(std::move(wish));
    }
  }
  const VerdictStatus& shown() { return recorder_.find("db")->probes[1].verdict; }
  std::uint64_t times(Verdict verdict, Reason reason, Evidence evidence = Evidence::probe) {
    const auto found = shown().counts.find({verdict, reason, evidence});
    return found == shown().counts.end() ? 0 : found->second;
  }

  Target target_ = test::sample_target("db", {"latency", "randread", "seqread"});
  metrics::Recorder recorder_;
  Logger logger_{LogLevel::error, LogFormat::logfmt};
  Verdicts verdicts_{recorder_, logger_, "6.1"};
  WallTime wall_ = kNoon;
  SteadyTime now_{hours(1000)};
  std::vector<Verdicts::Wish> wishes_;
};

TEST_F(VerdictsTest, AGoodRunIsShownAndAsksForNothing) {
  EXPECT_TRUE(run(3000).empty());
  EXPECT_EQ(times(Verdict::compliant, Reason::ok), 1U);
  EXPECT_EQ(shown().compliant, true);
  EXPECT_FALSE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, ALowRunAsksForASecondOneAndBothCountOnce) {
  const auto wishes = run(2000);
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].target, "db");
  EXPECT_EQ(wishes[0].probe, "randread");
  EXPECT_FALSE(shown().current);
  EXPECT_TRUE(run(2000).empty());
  EXPECT_EQ(times(Verdict::noncompliant, Reason::below_promise), 1U);
  EXPECT_TRUE(shown().confirmed_drop);
  EXPECT_EQ(shown().compliant, false);
  run(3000);
  EXPECT_FALSE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, ASecondRunThatWasSkippedOrFailedAccusesNobody) {
  run(2000);
  verdicts_.on_skip("db", "randread", wall_);
  EXPECT_EQ(times(Verdict::inconclusive, Reason::unsteady), 1U);
  run(2000);
  ProbeReport failed = test::run_at("randread", 0);
  failed.outcome = Outcome::timed_out;
  report(failed);
  EXPECT_EQ(times(Verdict::inconclusive, Reason::unsteady), 2U);
  EXPECT_FALSE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, ASecondRunThatNeverComesIsNotWaitedForForEver) {
  run(2000);
  device(60, 0, 0);
  EXPECT_EQ(times(Verdict::inconclusive, Reason::unsteady), 0U);
  device(60, 0, 0);
  EXPECT_EQ(times(Verdict::inconclusive, Reason::unsteady), 1U);
}

TEST_F(VerdictsTest, ADropStandsThroughTimeOutsAndSkips) {
  run(2000);
  run(2000);
  ProbeReport stuck = test::run_at("randread", 0);
  stuck.outcome = Outcome::stuck;
  report(stuck);
  verdicts_.on_skip("db", "randread", wall_);
  EXPECT_TRUE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, ARiseOfLatencyAsksForACapacityProbeAtMostEachQuarterOfAnHour) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(report(latency(std::chrono::microseconds(700))).empty());
  EXPECT_TRUE(report(latency(std::chrono::milliseconds(5))).empty());
  const auto wishes = report(latency(std::chrono::milliseconds(5)));
  ASSERT_EQ(wishes.size(), 1U);
  EXPECT_EQ(wishes[0].probe, "randread");
  now_ -= minutes(44);  // the next three are seconds later
  report(latency(std::chrono::microseconds(700)));
  report(latency(std::chrono::milliseconds(5)));
  EXPECT_TRUE(report(latency(std::chrono::milliseconds(5))).empty());
}

TEST_F(VerdictsTest, TheApplicationsOwnLoadIsEvidence) {
  report(latency(std::chrono::milliseconds(1)));
  device(60, 3000, 16);
  EXPECT_EQ(times(Verdict::compliant, Reason::ok, Evidence::passive), 1U);
  EXPECT_EQ(verdicts_.answered(now_),
            (std::set<std::pair<std::string, std::string>>{{"db", "randread"}}));
  EXPECT_TRUE(verdicts_.answered(now_ + hours(1)).empty());
  EXPECT_TRUE(wishes_.empty());
}

TEST_F(VerdictsTest, TwoStretchesOfLoadThatGetTooLittleConfirmADrop) {
  report(latency(std::chrono::milliseconds(1)));
  device(60, 2000, 16);
  ASSERT_EQ(wishes_.size(), 1U);
  verdicts_.on_skip("db", "randread", wall_);  // the volume is busy
  EXPECT_EQ(times(Verdict::inconclusive, Reason::unsteady), 0U);
  device(60, 2000, 16);
  EXPECT_EQ(times(Verdict::noncompliant, Reason::below_promise, Evidence::passive), 1U);
  EXPECT_TRUE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, ShowWhatIsLeftOfACreditBucket) {
  EXPECT_FALSE(recorder_.find("db")->burst_balance);
  Terms terms = test::promised(300);
  terms.burst.iops = 3000;
  terms.buckets = {{Bucket::Unit::ios, 5.4e6, 300, 3000, {}, 1}};
  configure(terms);
  ASSERT_TRUE(recorder_.find("db")->burst_balance);
  run(300);
  EXPECT_EQ(recorder_.find("db")->burst_balance->second, 0);
  EXPECT_EQ(times(Verdict::compliant, Reason::burst_exhausted), 1U);
  device(10, 0, 0);
  EXPECT_NEAR(recorder_.find("db")->burst_balance->first, 3000 / 5.4e6, 1e-9);
}

TEST_F(VerdictsTest, AnotherVolumeBeginsAnew) {
  for (int i = 0; i < 10; ++i) run(6000);
  EXPECT_EQ(shown().baseline_iops, 6000);
  EXPECT_TRUE(run(4000, "vol-2").empty());
  EXPECT_FALSE(shown().baseline_iops);
}

TEST_F(VerdictsTest, WhatLiesInThePlaceOfAnUnmountedVolumeIsNoOtherVolume) {
  run(2000);
  run(2000);
  ProbeReport unmounted = test::run_at("randread", 0);
  unmounted.target = "db";
  unmounted.outcome = Outcome::failed;
  unmounted.state = TargetState::not_mounted;
  unmounted.identity.volume_id = "vol-root";
  verdicts_.on_run(unmounted, nullptr, now_);
  EXPECT_TRUE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, AnIdThatBecomesVisibleIsNoOtherVolume) {
  const auto run_on = [this](const MountIdentity& identity) {
    ProbeReport report = test::run_at("randread", 2000);
    report.target = "db";
    report.identity = identity;
    return verdicts_.on_run(report, nullptr, now_);
  };
  MountIdentity identity;
  identity.device = "nvme1n1";
  EXPECT_EQ(run_on(identity).size(), 1U);
  identity.volume_id = "vol-1";
  run_on(identity);
  EXPECT_TRUE(recorder_.find("db")->probes[1].verdict.confirmed_drop);
}

TEST_F(VerdictsTest, RememberWhatAnEarlierDaemonSaw) {
  std::vector<HistoryRecord> records;
  for (int i = 12; i > 0; --i) {
    RunRecord run;
    run.ended = kNoon - hours(i);
    run.target = "db";
    run.probe = "randread";
    run.volume_id = "vol-1";
    run.kernel = "6.1";
    run.engine = Engine::io_uring;
    run.iops = 6000;
    run.judgement = Judgement{Verdict::compliant, Reason::ok, 2.0, {}, ""};
    records.push_back(run);
  }
  LatestResult latest;
  latest.target = "db";
  latest.probe = "randread";
  latest.result.ended = kNoon - hours(1);
  latest.verdict = Judgement{Verdict::compliant, Reason::ok, 2.0, {}, "fine"};
  latest.compliant = true;
  records.push_back(latest);
  records.push_back(CreditsRecord{"gone", "vol-9", kNoon, "1 2 3"});
  verdicts_.remember(records, kNoon);
  EXPECT_EQ(shown().baseline_iops, 6000);
  EXPECT_EQ(shown().current->detail, "fine");
  EXPECT_EQ(recorder_.find("db")->probes[1].last_run, kNoon - hours(1));
  EXPECT_TRUE(recorder_.find("db")->probes[1].result);
  EXPECT_EQ(times(Verdict::compliant, Reason::ok), 0U) << "counters begin anew";
  EXPECT_EQ(run(4000).size(), 1U) << "far below what is usual";
}

TEST_F(VerdictsTest, ARunThatAnEarlierDaemonFoundLowConfirmsNothingHoursLater) {
  RunRecord low;
  low.ended = kNoon - hours(6);
  low.target = "db";
  low.probe = "randread";
  low.iops = 2000;
  low.judgement = Judgement{Verdict::noncompliant, Reason::below_promise, 0.6, {}, ""};
  verdicts_.remember({low}, kNoon);
  EXPECT_EQ(run(2000).size(), 1U) << "it asks for a second run of its own";
  EXPECT_FALSE(shown().confirmed_drop);
}

TEST_F(VerdictsTest, OfATargetThatIsNotConfiguredAreNone) {
  ProbeReport report = test::run_at("randread", 100);
  report.target = "gone";
  EXPECT_TRUE(verdicts_.on_run(report, nullptr, now_).empty());
  verdicts_.on_skip("gone", "randread", wall_);
  verdicts_.forget("db");
  EXPECT_TRUE(run(100).empty());
}

}  // namespace
}  // namespace storage_probe::service
