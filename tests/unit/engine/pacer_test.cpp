// SPDX-License-Identifier: Apache-2.0
#include "engine/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "support/fake_queue.h"

namespace storage_probe::engine {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeQueue;

// 100 I/Os a second for 10 s.
struct PacerTest : testing::Test {
  PacerTest() {
    workload.spec.kind = Kind::latency;
    workload.spec.rate = 100;
    workload.spec.limits.time = seconds{10};
    workload.first_block = 1;
    workload.blocks = 1000;
  }

  FakeQueue queue;
  Workload workload;
  std::vector<Progress> told;

  Measurement run() {
    auto buffers = BufferPool::create(1, Bytes{4096});
    auto measured = run_latency(
        queue, *buffers, workload,
        {.clock = queue.clock(), .progress = [this](const Progress& p) { told.push_back(p); }});
    EXPECT_TRUE(measured) << measured.error().message;
    return measured ? *measured : Measurement{};
  }
  static std::uint64_t slower_than(const LatencyHistogram& latency, Duration limit) {
    return latency.count() - latency.count_up_to(limit);
  }
};

TEST_F(PacerTest, StartsAtAFixedRate) {
  const Measurement measured = run();
  ASSERT_EQ(queue.sent.size(), 1000U);
  for (std::size_t i = 0; i < queue.sent.size(); ++i) {
    ASSERT_NEAR(to_seconds(queue.sent[i].at), double(i) / 100, 1e-4);
  }
  EXPECT_EQ(measured.operations[Operation::read].ios, 1000U);
  EXPECT_EQ(measured.operations[Operation::read].latency.count(), 1000U);
  EXPECT_LT(measured.operations[Operation::read].latency.max(), microseconds{1100});
  EXPECT_NEAR(to_seconds(measured.duration), 10, 1e-3);
  EXPECT_EQ(measured.stopped_by, StopReason::time);
}

TEST_F(PacerTest, HasOneIoInFlight) {
  queue.latency = [](auto&, auto) { return milliseconds{50}; };
  run();
  EXPECT_EQ(queue.most_in_flight, 1U);
}

// A closed loop sees one slow I/O here (scylladb/seastar#2260, openmessaging/benchmark#248).
TEST_F(PacerTest, AStallShowsAsAllTheIosThatItDelayed) {
  queue.stall(seconds{4}, seconds{5});
  const Measurement measured = run();
  const LatencyHistogram& latency = measured.operations[Operation::read].latency;
  EXPECT_EQ(measured.operations[Operation::read].ios, 1000U);
  EXPECT_NEAR(double(slower_than(latency, milliseconds{2})), 110, 15);
  EXPECT_NEAR(double(slower_than(latency, milliseconds{500})), 50, 10);
  EXPECT_NEAR(to_seconds(*latency.quantile(0.5)), 1e-3, 1e-5);
  EXPECT_NEAR(to_seconds(*latency.quantile(0.99)), 0.9, 0.02);
  EXPECT_NEAR(to_seconds(latency.max()), 1, 0.02);
}

// redpanda-data/redpanda#22740: few I/Os of 200 ms, which no percentile that is shown tells of.
TEST_F(PacerTest, AFewSlowIosAreInTheHistogram) {
  queue.latency = [](const Request&, std::size_t number) {
    return milliseconds{number % 200 == 7 ? 200 : 1};
  };
  const Measurement measured = run();
  const LatencyHistogram& latency = measured.operations[Operation::read].latency;
  EXPECT_NEAR(to_seconds(*latency.quantile(0.5)), 1e-3, 1e-5);
  EXPECT_EQ(slower_than(latency, milliseconds{199}), 5U);
  EXPECT_NEAR(double(slower_than(latency, milliseconds{100})), 55, 6);  // and who waited
}

TEST_F(PacerTest, WhatFellDueInAStallGoesOutBackToBack) {
  queue.stall(seconds{4}, seconds{5});
  run();
  const auto in_catch_up = std::ranges::count_if(queue.sent, [](const FakeQueue::Sent& sent) {
    return sent.at >= seconds{5} && sent.at < milliseconds{5100};
  });
  EXPECT_NEAR(double(in_catch_up), 100, 5);
}

TEST_F(PacerTest, AStallAtTheEndOfTheWindowCountsInFull) {
  queue.stall(seconds{7}, milliseconds{10'500});
  const Measurement measured = run();
  const OperationStats& reads = measured.operations[Operation::read];
  EXPECT_NEAR(double(slower_than(reads.latency, milliseconds{2})), 300, 3);
  EXPECT_NEAR(to_seconds(reads.latency.max()), 3.5, 0.03);
  EXPECT_EQ(reads.latency.count(), 1000U);
  EXPECT_NEAR(double(reads.ios), 701, 1);
  EXPECT_NEAR(to_seconds(measured.duration), 10.5, 0.01);
}

TEST_F(PacerTest, IssuesNothingAfterTheTimeLimit) {
  queue.stall(seconds{7}, milliseconds{10'500});
  run();
  EXPECT_LE(queue.sent.back().at, seconds{10});
}

TEST_F(PacerTest, StopsAtItsLimitOfIosOrBytes) {
  workload.spec.limits = {seconds{10}, {}, Ops{50}};
  EXPECT_EQ(run().stopped_by, StopReason::ios);
  EXPECT_EQ(queue.sent.size(), 50U);
  queue = FakeQueue{};
  workload.spec.limits = {{}, Bytes{40 * 4096}, {}};
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::bytes);
  EXPECT_EQ(queue.sent.size(), 40U);
  EXPECT_NEAR(to_seconds(measured.duration), 0.4, 1e-3);
}

TEST_F(PacerTest, SleepsBetweenStarts) {
  workload.spec.rate = 1;
  run();
  EXPECT_LT(queue.exchanges, 100U);  // one an I/O, and one each 250 ms
}

TEST_F(PacerTest, SpeaksEachSecondInAStallToo) {
  queue.stall(seconds{5}, seconds{40});
  run();
  ASSERT_GE(told.size(), 40U);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_LE(told[i].elapsed - told[i - 1].elapsed, seconds{1});
  }
}

TEST_F(PacerTest, CountsErrorsAndGoesOn) {
  queue.answer = [](const Request& request, std::size_t number) {
    return number % 50 == 1 ? -EIO : FakeQueue::success(request);
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.errors.at("EIO"), 20U);
  EXPECT_EQ(measured.operations[Operation::read].ios, 980U);
  EXPECT_TRUE(failed_by_errors(measured));
}

TEST_F(PacerTest, AClockThatGoesBackIsSeenThrough) {
  const Clock device = queue.clock();
  auto buffers = BufferPool::create(1, Bytes{4096});
  const auto measured = run_latency(queue, *buffers, workload, {.clock = [&] {
                                      const SteadyTime time = device();
                                      const bool is_early = queue.elapsed() < seconds{3};
                                      return is_early ? time : time - std::chrono::hours{1};
                                    }});
  ASSERT_TRUE(measured);
  EXPECT_NEAR(to_seconds(measured->duration), 10, 0.02);
  EXPECT_LT(measured->operations[Operation::read].latency.max(), milliseconds{20});
  EXPECT_TRUE(measured->clock_suspect);
}

TEST_F(PacerTest, CountsTheProcessorTimeOfItsThread) {
  const Measurement measured = run();
  EXPECT_GT(measured.cpu_busiest, Duration{});
  EXPECT_LE(measured.cpu_busiest, measured.cpu_user + measured.cpu_system + milliseconds{1});
}

TEST_F(PacerTest, ADeadDeviceEndsTheRunEarly) {
  queue.answer = [](const Request&, std::size_t) { return 0; };
  const Measurement measured = run();
  EXPECT_EQ(measured.stopped_by, StopReason::certain);
  EXPECT_EQ(queue.sent.size(), 100U);
  EXPECT_TRUE(failed_by_errors(measured));
}

TEST_F(PacerTest, EndsWritesWithAnFdatasyncInsideItsLimits) {
  workload.spec.read_percent = 0;
  workload.spec.fsync_every = 4;
  workload.spec.limits.ops = Ops{26};
  const Measurement measured = run();
  EXPECT_EQ(queue.sent.size(), 26U);
  EXPECT_EQ(queue.sent.back().request.operation, Operation::fsync);
  EXPECT_EQ(measured.operations[Operation::write].ios, 20U);
  EXPECT_EQ(measured.operations[Operation::fsync].ios, 6U);
}

TEST_F(PacerTest, RefusesARateThatIsNone) {
  for (const double rate : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    workload.spec.rate = rate;
    auto buffers = BufferPool::create(1, Bytes{4096});
    const auto measured = run_latency(queue, *buffers, workload, {.clock = queue.clock()});
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().message, "workload: no such rate");
  }
}

}  // namespace
}  // namespace storage_probe::engine
