// SPDX-License-Identifier: Apache-2.0
#include "engine/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "support/fake_queue.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeQueue;

constexpr std::uint64_t kFirst = 1, kBlocks = 1000;

struct RunnerTest : testing::Test {
  RunnerTest() {
    workload.spec.queue_depth = 8;
    workload.first_block = kFirst;
    workload.blocks = kBlocks;
    workload.seed = 42;
    workload.spec.stop_early = false;
  }

  FakeQueue queue;
  Workload workload;
  RunContext context;
  std::vector<Progress> told;
  Duration clock_step{};  // of the machine's clock, half a second into the run

  Result<Measurement> try_run() {
    auto buffers = BufferPool::create(*workload.spec.queue_depth, workload.spec.block_size);
    context.clock = clock();
    context.progress = [this](const Progress& progress) { told.push_back(progress); };
    return run_capacity(queue, *buffers, workload, context);
  }
  Clock clock() {
    return [this, device = queue.clock()] {
      const SteadyTime time = device();
      return queue.elapsed() < milliseconds{500} ? time : time + clock_step;
    };
  }
  // How long an I/O takes: 1 ms times what `factor` says for each 50 ms.
  void slow_down(std::function<double(std::size_t)> factor) {
    queue.latency = [this, factor = std::move(factor)](const Request&, std::size_t) {
      return from_seconds(1e-3 * factor(std::size_t(queue.elapsed() / milliseconds{50})));
    };
  }
  Measurement run() {
    auto measurement = try_run();
    EXPECT_TRUE(measurement) << measurement.error().message;
    return measurement ? *measurement : Measurement{};
  }
  std::size_t sent(Operation operation) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        queue.sent, [&](const auto& sent) { return sent.request.operation == operation; }));
  }
};

TEST_F(RunnerTest, MeasuresWhatTheDeviceDelivers) {
  workload.spec.limits.time = seconds{2};
  const Measurement measured = run();
  const OperationStats& reads = measured.operations[Operation::read];
  EXPECT_NEAR(double(reads.ios) / to_seconds(measured.duration), 8000, 80);  // 8 in 1 ms
  EXPECT_EQ(reads.bytes.value, reads.ios * 4096);
  EXPECT_NEAR(to_seconds(*reads.latency.quantile(0.5)), 1e-3, 2e-5);
  EXPECT_EQ(measured.stopped_by, StopReason::time);
  EXPECT_EQ(queue.most_in_flight, 8U);
}

TEST_F(RunnerTest, WritesThatAllFailWhileItWarmsUpEndItWithItsFsync) {
  workload.spec.read_percent = 0;
  workload.spec.limits.time = seconds{2};
  queue.answer = [](const Request& request, std::size_t) {
    return request.operation == Operation::fsync ? 0 : -ENOSPC;
  };
  const Measurement measured = run();
  EXPECT_TRUE(measured.gave_up);
  EXPECT_FALSE(measured.profile);
  EXPECT_EQ(sent(Operation::fsync), 1U);
  EXPECT_EQ(measured.operations[Operation::write].ios, 0U);
}

TEST_F(RunnerTest, WarmsUpForAQuarterOfASecondOrATenth) {
  workload.spec.limits.time = milliseconds{2050};
  EXPECT_NEAR(to_seconds(run().duration), 1.8, 0.01);
  workload.spec.limits.time = seconds{10};
  EXPECT_NEAR(to_seconds(run().duration), 9, 0.01);
  workload.spec.limits.time = milliseconds{100};
  EXPECT_NEAR(to_seconds(run().duration), 0.05, 0.01);
}

TEST_F(RunnerTest, MeasuresWholeSlicesOfTheKernelsThrottle) {
  workload.spec.limits.time = seconds{2};
  EXPECT_NEAR(to_seconds(run().duration), 1.7, 0.01);
  workload.spec.limits = {seconds{2}, {}, Ops{100'000}};  // warm after 2.5 s, so by time
  EXPECT_NEAR(to_seconds(run().duration), 1.7, 0.01);
}

TEST_F(RunnerTest, IsGivenUpWhenItIsWarmAndNotLater) {
  workload.spec.limits.time = seconds{2};
  std::vector<Duration> asked;
  context.gives_up = [&](Duration, Duration passed) {
    asked.push_back(passed);
    return true;
  };
  const Measurement measured = run();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_NEAR(to_seconds(asked[0]), 0.25, 0.01);
  EXPECT_EQ(measured.duration, Duration{});
  EXPECT_EQ(measured.operations[Operation::read].ios, 0U);
  EXPECT_GT(measured.used[Operation::read].ops.value, 1000U);
}

TEST_F(RunnerTest, EndsWithTheOthersOfItsProbe) {
  workload.spec.limits.time = seconds{2};
  std::atomic<std::optional<StopReason>> ended{};
  context.ended = &ended;
  std::size_t asked = 0;
  queue.latency = [&](const Request&, std::size_t) {
    if (++asked == 4000) ended = StopReason::bytes;
    return Duration(milliseconds{1});
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::bytes);
  EXPECT_NEAR(to_seconds(measured.duration), 0.25, 0.01);
}

TEST_F(RunnerTest, EndsAtOnceWhenItMust) {
  workload.spec.limits.time = seconds{2};
  std::vector<Ops> asked;
  context.must_end = [&](Ops completed) {
    asked.push_back(completed);
    return queue.elapsed() > milliseconds{950};
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::busy);
  EXPECT_NEAR(to_seconds(measured.elapsed), 1.0, 0.01);
  EXPECT_NEAR(to_seconds(measured.duration), 0.75, 0.01) << "what was measured until then";
  EXPECT_EQ(asked.size(), 11U);
  EXPECT_NEAR(double(asked.back().value), 8000, 80);
}

TEST_F(RunnerTest, DoesNotReadBackWhatOthersWaitFor) {
  workload.spec.limits.time = seconds{2};
  workload.spec.read_percent = 0;
  workload.spec.verify = true;
  context.must_end = [&](Ops) { return queue.elapsed() > milliseconds{950}; };
  EXPECT_FALSE(run().verification);
  EXPECT_EQ(sent(Operation::read), 0U);
}

TEST_F(RunnerTest, TellsTheOthersOfItsProbeWhyItEnds) {
  workload.spec.limits = {seconds{2}, {}, Ops{100}};
  std::atomic<std::optional<StopReason>> ended{};
  context.ended = &ended;
  run();
  EXPECT_EQ(ended.load(), StopReason::ios);
}

TEST_F(RunnerTest, WarmUpTakesAFifthOfTheIosOrBytesIfThatIsSooner) {
  workload.spec.limits = {seconds{10}, {}, Ops{1000}};
  EXPECT_NEAR(double(run().operations[Operation::read].ios), 800, 8);
  workload.spec.limits = {seconds{10}, Bytes{1000 * 4096}, {}};
  EXPECT_NEAR(double(run().operations[Operation::read].ios), 800, 8);
}

TEST_F(RunnerTest, MeasuresAllOfARunThatFitsIntoOneBatch) {
  workload.spec.limits.ops = Ops{5};
  const Measurement measured = run();
  EXPECT_EQ(measured.operations[Operation::read].ios, 5U);
  EXPECT_EQ(measured.stopped_by, StopReason::ios);
  EXPECT_NEAR(to_seconds(measured.duration), 1e-3, 1e-4);
}

TEST_F(RunnerTest, ReadsTheClockOnceABatch) {
  workload.spec.limits.ops = Ops{2000};
  run();
  EXPECT_EQ(queue.clock_reads, queue.exchanges + 1);
}

// Any workload on a device that does everything a device may do.
void roll_dice(Random& random, Workload& workload, FakeQueue& queue) {
  ProbeSpec& spec = workload.spec;
  workload.seed = random.next();
  spec.pattern = random.below(2) == 0 ? Pattern::random : Pattern::sequential;
  spec.read_percent = unsigned(random.below(5) * 25);
  spec.queue_depth = unsigned(1 + random.below(40));
  spec.fsync_every = int(random.below(3)) - 1;
  spec.limits.time = milliseconds{1 + random.below(100)};
  spec.limits.bytes = Bytes{random.below(300) * 1024};
  spec.limits.ops = Ops{random.below(200)};
  queue.latency = [&](const Request&, std::size_t) { return Duration(random.below(3'000'000)); };
  queue.answer = [&](const Request& request, std::size_t) {
    const std::uint64_t chance = random.below(20);
    if (chance == 0) return -EAGAIN;
    if (chance == 1) return -EIO;
    if (chance == 2) return 0;
    if (chance == 3 && request.length > 512) return int(request.length / 2);
    return int(request.length);
  };
}

void expect_within_limits(const FakeQueue& queue, const Workload& workload) {
  const Usage& limits = workload.spec.limits;
  if (limits.ops != Ops{}) {
    ASSERT_LE(queue.sent.size(), limits.ops.value);
  }
  if (limits.bytes != Bytes{}) {
    ASSERT_LE(queue.transferred, limits.bytes.value);
  }
  ASSERT_LE(queue.most_in_flight, *workload.spec.queue_depth);
  ASSERT_FALSE(queue.slot_was_used_twice);
  for (std::size_t i = 0; i < queue.sent.size(); ++i) {
    const auto& [request, at] = queue.sent[i];
    const bool is_last = i + 1 == queue.sent.size();
    if (request.operation == Operation::fsync && is_last) continue;
    ASSERT_LE(at, limits.time + std::chrono::microseconds{1});  // the call's own time
    if (request.operation == Operation::fsync) continue;
    ASSERT_GE(request.offset, kFirst * 4096);
    ASSERT_LE(request.offset + request.length, (kFirst + kBlocks) * 4096);
  }
}

TEST_F(RunnerTest, NeverOversteps) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    queue = FakeQueue{};
    roll_dice(random, workload, queue);
    const Measurement measured = run();
    expect_within_limits(queue, workload);
    Usage used;
    for (const Operation operation : kOperations) used += measured.used[operation];
    ASSERT_EQ(used.ops.value, queue.sent.size());
    ASSERT_GE(used.bytes.value, queue.transferred);
    if (sent(Operation::write) > 0) {
      ASSERT_EQ(queue.sent.back().request.operation, Operation::fsync);
    }
    if (HasFatalFailure()) return;
  }
}

TEST_F(RunnerTest, ASlowDeviceDoesNotKeepTheRunFromEnding) {
  workload.spec.limits.time = seconds{2};
  queue.stall(milliseconds{500}, seconds{30});
  const Measurement measured = run();
  EXPECT_NEAR(to_seconds(measured.duration), 1.7, 0.01);  // what came at 30 s is outside
  EXPECT_EQ(measured.elapsed, queue.elapsed());
  EXPECT_GE(measured.elapsed, seconds{30});
}

TEST_F(RunnerTest, SpeaksEachSecondWhileNothingCompletes) {
  workload.spec.limits.time = seconds{2};
  queue.stall(Duration{}, seconds{30});
  run();
  ASSERT_GE(told.size(), 30U);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_LE(told[i].elapsed - told[i - 1].elapsed, seconds{1});
    EXPECT_GE(told[i].elapsed - told[i - 1].elapsed, milliseconds{250});
  }
}

TEST_F(RunnerTest, LatencyOfAShortIoLastsToItsLastByte) {
  workload.spec.queue_depth = 1;
  workload.spec.limits.ops = Ops{100};
  queue.answer = [](const Request& request, std::size_t) {
    return std::int32_t(request.buffer_offset == 0 ? 1024 : request.length);
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.short_ios, 50U);
  EXPECT_GE(measured.operations[Operation::read].latency.min(), milliseconds{2});
}

// axboe/liburing#1175: half of all completions of polled I/O on md and dm devices were EAGAIN.
TEST_F(RunnerTest, ADeviceThatAnswersHalfTheTimeEagainIsMeasuredNotFailed) {
  workload.spec.limits.time = seconds{1};
  Random random(1);
  queue.answer = [&](const Request& request, std::size_t) {
    return random.below(2) == 0 ? -EAGAIN : FakeQueue::success(request);
  };
  const Measurement measured = run();
  EXPECT_GT(measured.retries, 100U);
  EXPECT_TRUE(measured.errors.empty());
  EXPECT_NEAR(double(measured.operations[Operation::read].ios), 2800, 300);  // 4000 a second
}

TEST_F(RunnerTest, AFailedIoIsNoCompletedOne) {
  workload.spec.limits.ops = Ops{1000};
  queue.answer = [](const Request& request, std::size_t number) {
    return number % 10 == 0 ? -EIO : FakeQueue::success(request);
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.errors.at("EIO"), 100U);
  EXPECT_NEAR(double(measured.operations[Operation::read].ios), 720, 10);
  EXPECT_TRUE(failed_by_errors(measured));
}

TEST_F(RunnerTest, ADeadDeviceEndsTheRunEarly) {
  workload.spec.limits.time = seconds{60};
  queue.answer = [](const Request&, std::size_t) { return -EIO; };
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::certain);
  EXPECT_LT(queue.sent.size(), 120U);
  EXPECT_TRUE(failed_by_errors(measured));
}

TEST_F(RunnerTest, MixesReadsAndWritesAsAsked) {
  workload.spec.read_percent = 75;
  workload.spec.limits.ops = Ops{20'000};
  run();
  EXPECT_NEAR(double(sent(Operation::read)), 15'000, 300);
  EXPECT_EQ(sent(Operation::fsync), 1U);
}

TEST_F(RunnerTest, EndsWritesWithOneTimedFdatasync) {
  workload.spec.read_percent = 0;
  workload.spec.limits.time = seconds{1};
  queue.latency = [](const Request& request, std::size_t) -> Duration {
    return request.operation == Operation::fsync ? seconds{2} : milliseconds{1};
  };
  const Measurement measured = run();
  EXPECT_EQ(queue.sent.back().request.operation, Operation::fsync);
  EXPECT_EQ(measured.operations[Operation::fsync].ios, 1U);
  EXPECT_NEAR(to_seconds(measured.operations[Operation::fsync].latency.max()), 2, 1e-3);
  EXPECT_EQ(measured.used[Operation::fsync].ops, Ops{1});
  EXPECT_NEAR(to_seconds(measured.duration), 0.7, 0.01);
  EXPECT_NEAR(to_seconds(measured.elapsed), 2.95, 0.01);
}

TEST_F(RunnerTest, SyncsInBetweenWhileTheOtherSlotsGoOn) {
  workload.spec.read_percent = 0;
  workload.spec.fsync_every = 10;
  workload.spec.limits.ops = Ops{1100};
  run();
  EXPECT_NEAR(double(sent(Operation::fsync)), 100, 5);
  EXPECT_EQ(queue.most_in_flight, 8U);
}

// 3,000 IOPS: the smallest gp3 volume.
TEST_F(RunnerTest, StopsAnEvenRunOnceItIsCertain) {
  workload.spec.stop_early = true;
  workload.spec.queue_depth = 3;
  workload.spec.limits = {seconds{2}, {}, Ops{50'000}};
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::certain);
  EXPECT_LE(queue.sent.size(), 6000U);
  const OperationStats& reads = measured.operations[Operation::read];
  EXPECT_GE(reads.ios, 1000U);
  EXPECT_NEAR(double(reads.ios) / to_seconds(measured.duration), 3000, 60);
  ASSERT_TRUE(measured.profile);
  EXPECT_TRUE(measured.profile->steady);
  EXPECT_LE(measured.profile->mean_error, 0.02);
}

TEST_F(RunnerTest, StopsEarlyOnlyWhereItMay) {
  workload.spec.limits.time = seconds{2};
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::time);
  EXPECT_TRUE(measured.profile->steady);
}

TEST_F(RunnerTest, ANoisyRunUsesItsBudget) {
  workload.spec.stop_early = true;
  workload.spec.limits.time = seconds{2};
  slow_down([](std::size_t slot) { return 0.5 + double(mix64(slot) % 1000) / 1000; });
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::time);
  EXPECT_GT(measured.profile->mean_error, 0.02);
}

// cloudharmony/block-storage#11: on shared storage the rate may never settle.
TEST_F(RunnerTest, ARateThatWandersUsesItsBudgetAndIsNotSteady) {
  workload.spec.stop_early = true;
  workload.spec.limits.time = seconds{10};
  std::vector<double> walk{1};
  Random random(3);
  while (walk.size() < 250) walk.push_back(walk.back() * (random.below(2) == 0 ? 0.93 : 1.075));
  slow_down([&](std::size_t slot) { return walk[slot]; });
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::time);
  ASSERT_TRUE(measured.profile);
  EXPECT_FALSE(measured.profile->steady);
}

// scylladb/seastar#1030: a burst was taken for what the volume can do.
TEST_F(RunnerTest, ABurstThatEndsInTheRunIsHeadAndTail) {
  for (const bool stop_early : {false, true}) {
    queue = FakeQueue{};
    workload.spec.stop_early = stop_early;
    workload.spec.limits.time = seconds{2};
    slow_down([](std::size_t slot) { return slot < 14 ? 1 : 4; });  // 0.7 s
    const Measurement measured = run();
    EXPECT_EQ(measured.stopped_by, StopReason::time);
    ASSERT_TRUE(measured.profile && measured.profile->drop);
    EXPECT_NEAR(measured.profile->drop->head_iops, 8000, 80);
    EXPECT_NEAR(measured.profile->drop->tail_iops, 2000, 40);
    EXPECT_NEAR(to_seconds(measured.profile->drop->head), 0.45, 0.02);
    EXPECT_FALSE(measured.profile->steady);
  }
}

TEST_F(RunnerTest, ProfilesARunThatEndsByItsIos) {
  workload.spec.limits = {seconds{10}, {}, Ops{4000}};
  const Measurement measured = run();
  ASSERT_TRUE(measured.profile);
  EXPECT_GE(measured.profile->rates.size(), 5U);
  EXPECT_LE(measured.profile->rates.size(), 20U);
  EXPECT_NEAR(measured.profile->rates[2], 8000, 160);
}

TEST_F(RunnerTest, AClockThatGoesBackIsSeenThrough) {
  workload.spec.limits.time = seconds{2};
  clock_step = -std::chrono::hours{1};
  const Measurement measured = run();
  EXPECT_NEAR(to_seconds(measured.duration), 1.7, 0.01);
  EXPECT_NEAR(double(measured.operations[Operation::read].ios), 13'600, 200);
  EXPECT_GE(measured.operations[Operation::read].latency.min(), Duration{});
  EXPECT_TRUE(measured.clock_suspect);
}

TEST_F(RunnerTest, AClockThatLeapsEndsTheRunSuspect) {
  workload.spec.limits.time = seconds{2};
  clock_step = std::chrono::hours{1};
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::time);
  EXPECT_GT(measured.duration, Duration{});
  EXPECT_LT(queue.elapsed(), seconds{1});
  EXPECT_TRUE(measured.clock_suspect);
}

TEST_F(RunnerTest, CountsTheProcessorTimeOfItsThread) {
  workload.spec.limits.time = seconds{2};
  const Measurement measured = run();
  EXPECT_GT(measured.cpu_busiest, Duration{});
  EXPECT_LE(measured.cpu_busiest, measured.cpu_user + measured.cpu_system + milliseconds{1});
}

TEST_F(RunnerTest, AVolumeThatFailsInMidRunEndsItWithWhatWasMeasured) {
  for (const auto& [code, name] : {std::pair(EIO, "EIO"), {ENOSPC, "ENOSPC"}, {ESTALE, "ESTALE"}}) {
    queue = FakeQueue{};
    workload.spec.limits.time = seconds{60};
    queue.answer = [code = code](const Request& request, std::size_t number) {
      return number < 100'000 ? FakeQueue::success(request) : -code;
    };
    const Measurement measured = run();
    EXPECT_LT(queue.sent.size(), 100'200U);
    EXPECT_GT(measured.operations[Operation::read].ios, 50'000U);
    EXPECT_GE(measured.errors.at(name), 100U);
    EXPECT_TRUE(failed_by_errors(measured));  // though that is less than 1 % of all
  }
}

TEST_F(RunnerTest, AFileTruncatedInMidRunIsAnError) {
  workload.spec.limits.time = seconds{2};
  queue.answer = [](const Request& request, std::size_t number) {
    constexpr std::uint64_t kEnd = 500 * 4096 + 512;
    if (number < 4000 || request.offset + request.length <= kEnd)
      return FakeQueue::success(request);
    return request.offset < kEnd ? std::int32_t(kEnd - request.offset) : 0;
  };
  const Measurement measured = run();
  EXPECT_GT(measured.errors.at("EIO"), 1000U);
  EXPECT_GT(measured.short_ios, 0U);
  EXPECT_TRUE(failed_by_errors(measured));
}

TEST_F(RunnerTest, AQueueThatFailsIsAnError) {
  workload.spec.limits.time = seconds{1};
  queue.breakdown = Error{Errc::io, "io_uring_enter: Bad file descriptor"};
  const auto measured = try_run();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().message, "io_uring_enter: Bad file descriptor");
}

TEST_F(RunnerTest, RefusesARunWithoutALimit) {
  const auto measured = try_run();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, Errc::invalid);
  EXPECT_TRUE(queue.sent.empty());
}

}  // namespace
}  // namespace storage_probe::engine
