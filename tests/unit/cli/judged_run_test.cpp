// SPDX-License-Identifier: Apache-2.0
#include "cli/judged_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/compliance/runs.h"

namespace storage_probe::cli {
namespace {

Terms three_thousand(const ProbeReport&) { return test::promised(3000); }

// Runs that come one after the other.
class Volume {
 public:
  explicit Volume(std::vector<double> iops) : iops_(std::move(iops)) {}

  ProbeReport run() {
    ProbeReport report = test::run_at("randread", iops_.at(runs_++));
    report.measured.used[Operation::read] = {{}, kMiB, Ops{256}};
    report.measured.elapsed = std::chrono::seconds(2);
    return report;
  }
  JudgedRun judged() {
    return run_and_judge([this] { return run(); }, three_thousand);
  }
  std::size_t runs() const { return runs_; }

 private:
  std::vector<double> iops_;
  std::size_t runs_ = 0;
};

TEST(JudgedRun, AGoodRunIsNotRepeated) {
  Volume volume({3000});
  const JudgedRun run = volume.judged();
  EXPECT_EQ(run.judgement->verdict, Verdict::compliant);
  EXPECT_EQ(run.promise.iops, 3000);
  EXPECT_EQ(exit_code(run), kDone);
}

TEST(JudgedRun, ALowRunIsRepeatedOnceAndPaidForTwice) {
  Volume volume({2000, 2100});
  const JudgedRun run = volume.judged();
  EXPECT_EQ(volume.runs(), 2U);
  EXPECT_EQ(run.judgement->verdict, Verdict::noncompliant);
  EXPECT_NEAR(*run.judgement->iops_ratio, 0.7, 1e-9);
  EXPECT_EQ(run.report.used().ops, Ops{512});
  EXPECT_EQ(exit_code(run), kNoncompliant);
}

TEST(JudgedRun, ALowRunThatIsNotConfirmedAccusesNobody) {
  Volume volume({2000, 3000});
  EXPECT_EQ(exit_code(volume.judged()), kDone);
}

TEST(JudgedRun, WithoutAnAnswerIsItsOwnExitCodeWhereSomethingIsPromised) {
  Volume volume({2000});
  const auto doubtful = [&] {
    ProbeReport report = volume.run();
    report.doubts = {Doubt::cpu_limited};
    return report;
  };
  EXPECT_EQ(exit_code(run_and_judge(doubtful, three_thousand)), kInconclusive);
  Volume other({2000});
  EXPECT_EQ(exit_code(run_and_judge([&] { return other.run(); },
                                    [](const ProbeReport&) { return Terms(); })),
            kDone);
}

TEST(JudgedRun, OfALatencyProbeIsNotJudged) {
  const JudgedRun run = run_and_judge([] { return test::run_at("latency", 20); }, three_thousand);
  EXPECT_FALSE(run.judgement);
  EXPECT_EQ(exit_code(run), kDone);
}

TEST(JudgedRun, ThatFailedIsAFailure) {
  const auto failing = [] { return ProbeReport(); };
  EXPECT_EQ(exit_code(run_and_judge(failing, three_thousand)), kFailed);
}

TEST(Worse, IsAFailureBeforeAVerdictAgainstTheVolumeBeforeNone) {
  EXPECT_EQ(worse(kDone, kInconclusive), kInconclusive);
  EXPECT_EQ(worse(kNoncompliant, kInconclusive), kNoncompliant);
  EXPECT_EQ(worse(kFailed, kNoncompliant), kFailed);
}

}  // namespace
}  // namespace storage_probe::cli
