// SPDX-License-Identifier: Apache-2.0
#include "compliance/course.h"

#include <gtest/gtest.h>

namespace storage_probe::compliance {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kStart{seconds(1'800'000'000)};

class CourseTest : public testing::Test {
 protected:
  RunRecord record(double iops) {
    now_ += minutes(15);
    RunRecord run;
    run.ended = now_;
    run.volume_id = "vol-1";
    run.kernel = "6.1";
    run.engine = Engine::io_uring;
    run.iops = iops;
    const bool is_good = iops >= 2700;
    run.judgement = Judgement{is_good ? Verdict::compliant : Verdict::noncompliant,
                              is_good ? Reason::ok : Reason::below_promise,
                              iops / 3000,
                              {},
                              ""};
    return run;
  }
  // A promise of 3,000.
  Course::Step run(double iops) { return course_.on_run(record(iops)); }
  Course::Step inconclusive(Reason reason) {
    RunRecord unclear = record(1000);
    unclear.judgement->verdict = Verdict::inconclusive;
    unclear.judgement->reason = reason;
    return course_.on_run(unclear);
  }
  Course::Step latency(Duration median) {
    RunRecord of_latency = record(20);
    of_latency.judgement.reset();
    of_latency.iops.reset();
    of_latency.latency = median;
    return course_.on_run(of_latency);
  }
  void learn(double iops, int runs = 10) {
    for (int i = 0; i < runs; ++i) run(iops);
  }

  WallTime now_ = kStart;
  Course course_;
};

TEST_F(CourseTest, AGoodRunCountsAtOnce) {
  const auto step = run(3000);
  EXPECT_EQ(step.verdict->verdict, Verdict::compliant);
  EXPECT_FALSE(step.wants_confirmation);
}

TEST_F(CourseTest, ALowRunCountsWithTheOneThatConfirmsIt) {
  auto step = run(2000);
  EXPECT_FALSE(step.verdict);
  EXPECT_TRUE(step.wants_confirmation);
  EXPECT_TRUE(course_.awaits_confirmation());
  EXPECT_FALSE(course_.has_confirmed_drop());
  step = run(2100);
  EXPECT_EQ(step.verdict->verdict, Verdict::noncompliant);
  EXPECT_FALSE(step.wants_confirmation);
  EXPECT_TRUE(course_.has_confirmed_drop());
  EXPECT_FALSE(course_.awaits_confirmation());
}

TEST_F(CourseTest, ASecondOpinionAgainstItAccusesNobody) {
  run(2000);
  EXPECT_EQ(run(3000).verdict->verdict, Verdict::compliant);
  EXPECT_FALSE(course_.has_confirmed_drop());
}

TEST_F(CourseTest, WithoutASecondOpinionItIsUnsteady) {
  run(2000);
  const auto step = course_.on_no_confirmation();
  EXPECT_EQ(step.verdict->verdict, Verdict::inconclusive);
  EXPECT_EQ(step.verdict->reason, Reason::unsteady);
  EXPECT_FALSE(course_.on_no_confirmation().verdict);
}

TEST_F(CourseTest, ADropStandsUntilAGoodRun) {
  run(2000);
  run(2000);
  inconclusive(Reason::cpu_limited);
  run(2000);
  course_.on_no_confirmation();
  EXPECT_TRUE(course_.has_confirmed_drop());
  run(3000);
  EXPECT_FALSE(course_.has_confirmed_drop());
}

TEST_F(CourseTest, AnInconclusiveRunConfirmsNothing) {
  run(2000);
  const auto step = inconclusive(Reason::contended);
  EXPECT_EQ(step.verdict->reason, Reason::contended);
  EXPECT_TRUE(run(2000).wants_confirmation) << "it begins anew";
  EXPECT_FALSE(course_.has_confirmed_drop());
}

TEST_F(CourseTest, HasAMedianAfterEightGoodRuns) {
  learn(3000, 7);
  EXPECT_FALSE(course_.iops_baseline());
  run(3100);
  ASSERT_TRUE(course_.iops_baseline());
  EXPECT_EQ(course_.iops_baseline()->median, 3000);
  EXPECT_EQ(course_.iops_baseline()->runs, 8U);
}

TEST_F(CourseTest, ForgetsAfterADay) {
  learn(3000);
  now_ += hours(24);
  run(3000);
  EXPECT_FALSE(course_.iops_baseline());
}

// axboe/liburing#1499: the same mount, a newer kernel, a quarter fewer IOPS.
TEST_F(CourseTest, LearnsAnewWithAnotherKernelEngineOrVolume) {
  learn(6000);
  RunRecord other = record(4000);
  other.kernel = "6.17";
  EXPECT_FALSE(course_.on_run(other).wants_confirmation);
  EXPECT_FALSE(course_.iops_baseline());
  other = record(4000);
  other.engine = Engine::threads;
  EXPECT_FALSE(course_.on_run(other).wants_confirmation);
  other = record(4000);
  other.volume_id = "vol-2";
  EXPECT_FALSE(course_.on_run(other).wants_confirmation);
  EXPECT_TRUE(run(4000).wants_confirmation) << "what was learned of the first is still known";
}

TEST_F(CourseTest, AFallUnderItsOwnMedianIsADropAndNoBreachOfThePromise) {
  learn(6000);
  EXPECT_TRUE(run(4000).wants_confirmation);
  const auto step = run(4100);
  EXPECT_EQ(step.verdict->verdict, Verdict::compliant);
  EXPECT_TRUE(course_.has_confirmed_drop());
}

TEST_F(CourseTest, OneFallUnderTheMedianAndOneUnderThePromiseAccuseNobody) {
  learn(6000);
  run(4000);
  const auto step = run(2500);
  EXPECT_EQ(step.verdict->verdict, Verdict::inconclusive);
  EXPECT_TRUE(course_.has_confirmed_drop());
}

// A gp2 volume of 100 GiB: 3,000 IOPS while its credits last, and the 300 it is promised after
// that.
TEST_F(CourseTest, CreditsThatAreUsedUpAreNoDrop) {
  learn(3000);
  for (int i = 0; i < 20; ++i) {
    RunRecord empty = record(300);
    empty.judgement = Judgement{Verdict::compliant, Reason::burst_exhausted, 1.0, {}, ""};
    const auto step = course_.on_run(empty);
    EXPECT_FALSE(step.wants_confirmation);
    EXPECT_EQ(step.verdict->reason, Reason::burst_exhausted);
  }
  EXPECT_FALSE(course_.has_confirmed_drop());
  EXPECT_EQ(course_.iops_baseline()->median, 3000) << "nor does it become what is usual";
}

TEST_F(CourseTest, LearnsWithoutAPromise) {
  for (int i = 0; i < 10; ++i) {
    RunRecord unknown = record(6000);
    unknown.judgement = Judgement{};
    EXPECT_EQ(course_.on_run(unknown).verdict->reason, Reason::unknown_promise);
  }
  EXPECT_EQ(course_.iops_baseline()->median, 6000);
}

TEST_F(CourseTest, AVolumeThatScattersMayScatter) {
  for (const double iops : {5000., 7000., 5200., 6900., 6000., 5400., 6600., 6100., 5900., 7000.})
    run(iops);
  EXPECT_FALSE(run(4700).wants_confirmation) << "22 % below the median";
}

TEST_F(CourseTest, PassiveEvidenceConfirmsAndTeachesNothing) {
  for (int i = 0; i < 10; ++i) {
    RunRecord passive = record(9000);
    passive.evidence = Evidence::passive;
    course_.on_run(passive);
  }
  EXPECT_FALSE(course_.iops_baseline());
  RunRecord low = record(2000);
  low.evidence = Evidence::passive;
  EXPECT_TRUE(course_.on_run(low).wants_confirmation);
  EXPECT_EQ(run(2000).verdict->verdict, Verdict::noncompliant);
}

TEST_F(CourseTest, ARiseOfLatencyThatStaysIsSuspiciousOnce) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(latency(std::chrono::microseconds(700)).is_suspicious);
  EXPECT_FALSE(latency(std::chrono::microseconds(2000)).is_suspicious);
  EXPECT_TRUE(latency(std::chrono::microseconds(2000)).is_suspicious);
  EXPECT_FALSE(latency(std::chrono::microseconds(2000)).is_suspicious);
  EXPECT_FALSE(latency(std::chrono::microseconds(700)).is_suspicious);
  latency(std::chrono::microseconds(2000));
  EXPECT_TRUE(latency(std::chrono::microseconds(2000)).is_suspicious);
  EXPECT_NEAR(course_.latency_baseline()->median, 0.0007, 1e-9);
}

TEST_F(CourseTest, AFewSlowRunsApartAreNot) {
  for (int i = 0; i < 10; ++i) latency(std::chrono::microseconds(700));
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(latency(std::chrono::microseconds(5000)).is_suspicious);
    EXPECT_FALSE(latency(std::chrono::microseconds(700)).is_suspicious);
  }
}

TEST_F(CourseTest, RemembersADropAndAMedianAcrossARestart) {
  std::vector<RunRecord> kept;
  for (int i = 0; i < 10; ++i) kept.push_back(record(3000));
  kept.push_back(record(2000));
  kept.push_back(record(2000));
  kept.back().ended = kept[10].ended + seconds(30);
  for (const RunRecord& run : kept) course_.remember(run);
  EXPECT_TRUE(course_.has_confirmed_drop());
  EXPECT_EQ(course_.iops_baseline()->median, 3000);
}

TEST_F(CourseTest, DoesNotRememberTwoLowRunsThatWereHoursApartAsAPair) {
  course_.remember(record(2000));
  now_ += hours(6);
  course_.remember(record(2000));
  EXPECT_FALSE(course_.has_confirmed_drop());
}

TEST_F(CourseTest, KeepsNoMoreThanItNeeds) {
  for (int i = 0; i < 5'000; ++i) {
    latency(std::chrono::microseconds(700));
    now_ -= minutes(14);  // one a minute
  }
  ASSERT_TRUE(course_.latency_baseline());
  EXPECT_LE(course_.latency_baseline()->runs, 129U);
  EXPECT_GE(course_.latency_baseline()->runs, 60U);
}

}  // namespace
}  // namespace storage_probe::compliance
