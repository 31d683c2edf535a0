// SPDX-License-Identifier: Apache-2.0
#include "engine/rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "support/direct_file.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kFirst = 1, kBlocks = 1000;

// What all rings of a test have done.
struct Log {
  struct Ring {
    unsigned depth = 0;
    std::thread::id thread;
    std::vector<Request> sent;
  };
  std::mutex mutex;
  std::vector<std::unique_ptr<Ring>> rings;
};

// A device that answers at once, or after `pause`.
class InstantQueue final : public IoQueue {
 public:
  InstantQueue(Log::Ring& ring, Duration pause) : ring_(ring), pause_(pause) {}
  Result<std::span<const Completion>> exchange(std::span<const Request> batch, unsigned,
                                               Duration) override {
    if (pause_ > Duration{}) std::this_thread::sleep_for(pause_);
    done_.clear();
    for (const Request& request : batch) {
      ring_.sent.push_back(request);
      done_.push_back({request.slot, static_cast<std::int32_t>(request.length)});
    }
    return std::span<const Completion>(done_);
  }

 private:
  Log::Ring& ring_;
  Duration pause_;
  std::vector<Completion> done_;
};

struct RingsTest : testing::Test {
  RingsTest() {
    workload.spec.queue_depth = 8;
    workload.spec.limits = {seconds{5}, {}, Ops{6000}};
    workload.first_block = kFirst;
    workload.blocks = kBlocks;
    workload.seed = 42;
    options.open = [this](unsigned depth, BufferPool& buffers) { return open(depth, buffers); };
    options.busy = 100;  // never
  }

  Workload workload;
  RingOptions options;
  RunContext context;
  Log log;
  std::vector<Duration> pauses;  // of the rings in the order in which they open
  std::optional<std::size_t> fails;

  Result<OpenedQueue> open(unsigned depth, BufferPool& buffers) {
    EXPECT_GE(buffers.slots(), depth);
    const std::lock_guard lock(log.mutex);
    const std::size_t number = log.rings.size();
    log.rings.push_back(std::make_unique<Log::Ring>());
    log.rings.back()->depth = depth;
    log.rings.back()->thread = std::this_thread::get_id();
    if (fails == number) return Unexpected({Errc::exhausted, "no more rings"});
    const Duration pause = number < pauses.size() ? pauses[number] : Duration{};
    return OpenedQueue{std::make_unique<InstantQueue>(*log.rings.back(), pause), Engine::io_uring,
                       "a note"};
  }
  RingsRun run() {
    auto run = run_on_rings(workload, options, context);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *std::move(run) : RingsRun{};
  }
  std::size_t sent() const {
    std::size_t all = 0;
    for (const auto& ring : log.rings) all += ring->sent.size();
    return all;
  }
};

TEST_F(RingsTest, AreOneWhereNobodyAsksForMore) {
  const RingsRun run = this->run();
  EXPECT_EQ(log.rings.size(), 1U);
  EXPECT_EQ(run.measured.rings, 1U);
  EXPECT_EQ(run.engine, Engine::io_uring);
  EXPECT_EQ(run.note, "a note");
  EXPECT_EQ(sent(), 6000U);
}

TEST_F(RingsTest, ShareTheDepthTheLimitsAndTheFile) {
  workload.spec.rings = 3;
  const RingsRun run = this->run();
  ASSERT_EQ(log.rings.size(), 3U);
  std::multiset<unsigned> depths;
  std::set<std::thread::id> threads;
  std::map<std::uint64_t, std::size_t> ring_of_block;
  for (std::size_t ring = 0; ring < 3; ++ring) {
    depths.insert(log.rings[ring]->depth);
    threads.insert(log.rings[ring]->thread);
    for (const Request& request : log.rings[ring]->sent) {
      const std::uint64_t block = request.offset / 4096;
      EXPECT_GE(block, kFirst);
      EXPECT_LT(block, kFirst + kBlocks);
      EXPECT_EQ(ring_of_block.try_emplace(block, ring).first->second, ring);
    }
  }
  EXPECT_EQ(depths, (std::multiset<unsigned>{2, 3, 3}));
  EXPECT_EQ(threads.size(), 3U);
  EXPECT_LE(sent(), 6000U);
  EXPECT_EQ(run.measured.rings, 3U);
  EXPECT_EQ(run.measured.used[Operation::read].ops.value, sent());
}

TEST_F(RingsTest, EndWithTheFirstThatMeetsALimit) {
  workload.spec.rings = 2;
  workload.spec.queue_depth = 2;
  workload.spec.limits = {seconds{60}, {}, Ops{400}};
  pauses = {milliseconds{1}, milliseconds{20}};
  const RingsRun run = this->run();
  EXPECT_EQ(run.measured.stopped_by, StopReason::ios);
  EXPECT_LT(log.rings[1]->sent.size(), 200U);  // alone it would have gone on to its share
}

TEST_F(RingsTest, EndTogetherWhenTheyMust) {
  workload.spec.rings = 2;
  workload.spec.limits = {seconds{60}, {}, {}};
  pauses = {milliseconds{1}, milliseconds{1}};
  std::size_t asked = 0;
  context.must_end = [&](Ops) { return ++asked == 2; };
  const RingsRun run = this->run();
  EXPECT_EQ(run.measured.stopped_by, StopReason::busy);
  EXPECT_EQ(asked, 2U);
  EXPECT_FALSE(log.rings[1]->sent.empty());
}

TEST_F(RingsTest, CountTogetherWhatTheyHaveCompleted) {
  workload.spec.rings = 2;
  workload.spec.limits = {seconds{60}, {}, {}};
  pauses = {milliseconds{20}, milliseconds{20}};
  Ops most;
  context.must_end = [&](Ops completed) {
    most = completed;
    return completed > Ops{100};
  };
  run();
  EXPECT_GT(most.value, std::max(log.rings[0]->sent.size(), log.rings[1]->sent.size()));
}

TEST_F(RingsTest, AreNeverMoreThanTheirWorkAllows) {
  workload.spec.rings = 8;
  workload.spec.queue_depth = 3;
  run();
  EXPECT_EQ(log.rings.size(), 3U);
  log.rings.clear();
  workload.spec.queue_depth = 8;
  workload.spec.limits.ops = Ops{5};
  run();
  EXPECT_EQ(log.rings.size(), 2U);
  log.rings.clear();
  workload.spec.limits = {{}, Bytes{4096}, {}};
  run();
  EXPECT_EQ(log.rings.size(), 1U);
}

TEST_F(RingsTest, StartAnewWithMoreWhileOneProcessorIsTheLimit) {
  options.busy = -1;  // always
  options.most = 4;
  const RingsRun run = this->run();
  EXPECT_EQ(log.rings.size(), 1U + 2U + 4U);
  EXPECT_EQ(run.measured.rings, 4U);
  EXPECT_LE(sent(), 6000U);  // all starts together
  EXPECT_EQ(run.measured.used[Operation::read].ops.value, sent());
  EXPECT_GT(run.measured.operations[Operation::read].ios, 0U);
}

TEST_F(RingsTest, DoNotStartAnewWhereTheirNumberIsGiven) {
  options.busy = -1;
  options.most = 4;
  workload.spec.rings = 1;
  run();
  EXPECT_EQ(log.rings.size(), 1U);
}

TEST_F(RingsTest, DoNothingWhenOneOfThemCannotOpen) {
  workload.spec.rings = 3;
  fails = 1;
  const auto run = run_on_rings(workload, options, context);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "no more rings");
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RingsTest, TellProgressOfAll) {
  workload.spec.rings = 2;
  workload.spec.queue_depth = 2;
  workload.spec.limits = {milliseconds{600}, {}, {}};
  pauses = {milliseconds{1}, milliseconds{1}};
  std::vector<Progress> told;
  context.progress = [&](const Progress& progress) { told.push_back(progress); };
  const RingsRun run = this->run();
  ASSERT_FALSE(told.empty());
  const double iops = static_cast<double>(run.measured.operations[Operation::read].ios) /
                      to_seconds(run.measured.duration);
  EXPECT_GT(told.back().iops, iops / 2);  // one ring alone would say half or less
}

TEST_F(RingsTest, ReadARealFileTogether) {
  const test::DirectFile file(256);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O in the working directory";
  workload.first_block = 0;
  workload.blocks = 256;
  workload.spec.rings = 2;
  workload.spec.limits.ops = Ops{400};
  options.open = [&](unsigned depth, BufferPool& buffers) {
    return open_queue(Engine::automatic, {file.fd(), depth, buffers});
  };
  const RingsRun run = this->run();
  EXPECT_EQ(run.measured.rings, 2U);
  EXPECT_TRUE(run.measured.errors.empty());
  EXPECT_GT(run.measured.operations[Operation::read].ios, 100U);
  EXPECT_EQ(run.measured.operations[Operation::read].latency.count(),
            run.measured.operations[Operation::read].ios);
}

TEST_F(RingsTest, VerifyARealFileTogether) {
  const test::DirectFile file(256);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O in the working directory";
  workload.first_block = 0;
  workload.blocks = 256;
  workload.spec.rings = 2;
  workload.spec.read_percent = 25;
  workload.spec.verify = true;
  workload.spec.limits.ops = Ops{400};
  options.open = [&](unsigned depth, BufferPool& buffers) {
    return open_queue(Engine::automatic, {file.fd(), depth, buffers});
  };
  const auto found = run().measured.verification;
  ASSERT_TRUE(found);
  EXPECT_GT(found->blocks, 50U);
  EXPECT_EQ(found->torn + found->stale, 0U);
}

// Of a device that keeps nothing.
TEST_F(RingsTest, AddUpWhatWasLost) {
  workload.spec.rings = 2;
  workload.spec.read_percent = 0;
  workload.spec.verify = true;
  const auto found = run().measured.verification;
  std::set<std::uint64_t> read;
  for (const auto& ring : log.rings) {
    for (const Request& request : ring->sent) {
      if (request.operation == Operation::read) read.insert(request.offset);
    }
  }
  ASSERT_TRUE(found && found->first_bad);
  EXPECT_EQ(found->blocks, read.size());
  EXPECT_GT(found->torn + found->stale, found->blocks / 2);
  // Where a ring is on a busy machine differs; a block's slot may happen to hold it still.
  EXPECT_LE(found->first_bad->value, *std::next(read.begin(), 3));
}

TEST(AutomaticRings, LeaveHalfOfTheProcessors) {
  EXPECT_GE(most_automatic_rings(), 1U);
  EXPECT_LE(most_automatic_rings(), std::max(1U, std::thread::hardware_concurrency() / 2));
}

}  // namespace
}  // namespace storage_probe::engine
