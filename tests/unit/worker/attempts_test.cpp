// SPDX-License-Identifier: Apache-2.0
#include "worker/attempts.h"

#include <gtest/gtest.h>

#include <vector>

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// `iops` for half a second, with `in_flight` of 32 on average.
Attempt attempt(Engine engine, std::uint64_t iops, double in_flight) {
  Attempt made;
  made.engine = engine;
  made.measured.duration = milliseconds{500};
  made.measured.elapsed = milliseconds{600};
  OperationStats& reads = made.measured.operations[Operation::read];
  reads.ios = iops / 2;
  reads.latency.record(from_seconds(in_flight / static_cast<double>(iops)), reads.ios);
  made.measured.used[Operation::read] = {{}, Bytes{reads.ios * 4096}, Ops{reads.ios}};
  return made;
}

class Attempts : public testing::Test {
 protected:
  Attempts() {
    spec_.queue_depth = 32;
    spec_.limits = {seconds{2}, Bytes{}, Ops{100'000}};
  }
  Result<Attempt> make(Engine wanted = Engine::automatic) {
    return make_attempts(spec_, wanted, goal_, [this](const Approach& approach) -> Result<Attempt> {
      approaches_.push_back(approach);
      if (approaches_.size() == 1) return first_;
      if (!opens_again_) return Unexpected({Errc::exhausted, "full"});
      if (breaks_) return Unexpected({Errc::io, "broke"});
      return second_;
    });
  }

  ProbeSpec spec_ = *find_preset("randread");
  Goal goal_;
  Attempt first_ = attempt(Engine::io_uring, 10'000, 2);
  Attempt second_ = attempt(Engine::threads, 40'000, 30);
  bool opens_again_ = true, breaks_ = false;
  std::vector<Approach> approaches_;
};

TEST_F(Attempts, OneIsEnoughWhenItsQueueWasFull) {
  first_ = attempt(Engine::io_uring, 10'000, 31);
  ASSERT_TRUE(make());
  ASSERT_EQ(approaches_.size(), 1U);
  EXPECT_EQ(approaches_[0].engine, Engine::automatic);
  EXPECT_EQ(approaches_[0].limits, spec_.limits);
}

TEST_F(Attempts, ASecondOnThreadsGetsWhatIsLeftAndIsTakenWhenItIsFaster) {
  const auto made = make();
  ASSERT_TRUE(made);
  ASSERT_EQ(approaches_.size(), 2U);
  EXPECT_EQ(approaches_[1].engine, Engine::threads);
  EXPECT_EQ(approaches_[1].limits, (Usage{milliseconds{1400}, Bytes{}, Ops{95'000}}));
  EXPECT_EQ(made->engine, Engine::threads);
  EXPECT_EQ(made->engine_note, approaches_[1].note);
  EXPECT_EQ(made->measured.operations[Operation::read].ios, 20'000U);
}

TEST_F(Attempts, WhatBothHaveSpentAndMetIsReported) {
  first_.measured.retries = 2;
  second_.measured.retries = 3;
  second_.measured.errors["EIO"] = 1;
  const auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->measured.used[Operation::read].ops, Ops{25'000});
  EXPECT_EQ(made->measured.elapsed, milliseconds{1200});
  EXPECT_EQ(made->measured.retries, 5U);
  EXPECT_EQ(made->measured.errors.at("EIO"), 1U);
}

TEST_F(Attempts, TheFirstStandsWhenTheSecondIsNoBetter) {
  second_ = attempt(Engine::threads, 10'500, 3);
  const auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->engine, Engine::io_uring);
  EXPECT_EQ(made->engine_note, "");
  EXPECT_EQ(made->measured.operations[Operation::read].ios, 5000U);
  EXPECT_EQ(made->measured.used[Operation::read].ops, Ops{10'250}) << "both";
}

TEST_F(Attempts, TheFirstStandsWhenTheSecondCannotBegin) {
  opens_again_ = false;
  const auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->engine, Engine::io_uring);
  EXPECT_EQ(made->measured.used[Operation::read].ops, Ops{5000});
}

TEST_F(Attempts, ASecondThatBreaksOffHasSpentNobodyKnowsWhat) {
  breaks_ = true;
  const auto made = make();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "broke");
}

TEST_F(Attempts, AreTwoOnlyWhereAnotherEngineMayHelp) {
  EXPECT_TRUE(next_approach(spec_, Engine::automatic, goal_, first_));
  EXPECT_FALSE(next_approach(spec_, Engine::io_uring, goal_, first_)) << "the operator's word";
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, second_));
  first_.measured.errors["EIO"] = 1;
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_)) << "first things first";
  spec_.kind = Kind::latency;
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, attempt(Engine::io_uring, 10, 0.1)));
}

TEST_F(Attempts, AreTwoOnlyWhenEnoughIsLeft) {
  for (const Usage& limits :
       {Usage{milliseconds{1099}, Bytes{}, Ops{}}, Usage{{}, Bytes{}, Ops{5099}},
        Usage{{}, Bytes{5099 * 4096}, Ops{}}}) {
    spec_.limits = limits;
    EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_));
  }
  spec_.limits = {milliseconds{1100}, Bytes{5100 * 4096}, Ops{5100}};
  EXPECT_TRUE(next_approach(spec_, Engine::automatic, goal_, first_));
}

TEST_F(Attempts, ADepthThatWasAGuessIsDoubledOnceWhereItDidNotReachTheGoal) {
  first_ = attempt(Engine::io_uring, 10'000, 31);
  second_ = attempt(Engine::io_uring, 11'500, 62);
  goal_ = {20'000, 256, false};
  const auto made = make();
  ASSERT_TRUE(made);
  ASSERT_EQ(approaches_.size(), 2U);
  EXPECT_EQ(approaches_[1].queue_depth, 64U);
  EXPECT_EQ(approaches_[1].limits.time, milliseconds{1400});
  EXPECT_EQ(made->queue_depth, 64U);
  EXPECT_EQ(made->measured.operations[Operation::read].ios, 5'750U);
  EXPECT_EQ(made->engine_note, "");
}

TEST_F(Attempts, TheFirstDepthStandsUnlessTheSecondIsATenthFaster) {
  first_ = attempt(Engine::io_uring, 10'000, 31);
  second_ = attempt(Engine::io_uring, 10'500, 62);
  goal_ = {20'000, 256, false};
  const auto made = make();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->queue_depth, std::nullopt);
  EXPECT_EQ(made->measured.operations[Operation::read].ios, 5'000U);
  EXPECT_EQ(made->measured.used[Operation::read].ops, Ops{10'250}) << "both";
}

TEST_F(Attempts, AreOneWhereTheGoalIsReachedOrTheDepthIsNoGuess) {
  first_ = attempt(Engine::io_uring, 10'000, 31);
  goal_ = {11'000, 256, false};
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_));
  goal_ = {20'000, 0, false};
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_));
  goal_ = {20'000, 63, false};
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_)) << "the file is too small";
  goal_ = {{}, 256, false};
  EXPECT_FALSE(next_approach(spec_, Engine::automatic, goal_, first_)) << "nothing is promised";
}

// github-aws-runners/terraform-aws-github-runner#5163: fresh from a snapshot.
TEST_F(Attempts, BlocksThatComeFasterASecondTimeWereFresh) {
  first_ = attempt(Engine::io_uring, 100, 20);
  second_ = attempt(Engine::io_uring, 100, 0.1);
  goal_ = {3'000, 256, true};
  const auto made = make();
  ASSERT_TRUE(made);
  ASSERT_EQ(approaches_.size(), 2U);
  EXPECT_EQ(approaches_[0].limits.time, milliseconds{1500}) << "a quarter is kept back";
  EXPECT_EQ(approaches_[1].limits.ops, Ops{50}) << "the same ones";
  EXPECT_TRUE(made->has_met_fresh_blocks);
  EXPECT_EQ(made->measured.operations[Operation::read].ios, 50U) << "the first figures stay";
  EXPECT_EQ(made->measured.used[Operation::read].ops, Ops{100});
}

TEST_F(Attempts, BlocksThatAreSlowAgainWereNot) {
  first_ = attempt(Engine::io_uring, 100, 20);
  second_ = attempt(Engine::io_uring, 100, 15);
  goal_ = {3'000, 256, true};
  const auto made = make();
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->has_met_fresh_blocks);
}

TEST_F(Attempts, NobodyLooksAgainAtBlocksThatCameFastEnough) {
  goal_ = {9'000, 256, true};
  ASSERT_TRUE(make());
  EXPECT_EQ(approaches_.size(), 1U);
}

TEST(IsBetter, IsATenthFasterOrAsFastWithAFullQueue) {
  ProbeSpec spec = *find_preset("randread");
  spec.queue_depth = 32;
  const Attempt first = attempt(Engine::io_uring, 10'000, 2);
  EXPECT_TRUE(is_better(spec, attempt(Engine::threads, 11'000, 3), first));
  EXPECT_FALSE(is_better(spec, attempt(Engine::threads, 10'900, 3), first));
  EXPECT_TRUE(is_better(spec, attempt(Engine::threads, 9600, 30), first));
  EXPECT_FALSE(is_better(spec, attempt(Engine::threads, 9400, 30), first));
  EXPECT_FALSE(is_better(spec, Attempt{}, Attempt{})) << "nothing measured at all";
}

}  // namespace
}  // namespace storage_probe::worker
