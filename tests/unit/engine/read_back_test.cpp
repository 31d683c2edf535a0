// SPDX-License-Identifier: Apache-2.0
#include "engine/read_back.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "engine/pacer.h"
#include "engine/runner.h"
#include "engine/write_data.h"
#include "support/fake_queue.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeQueue;

using Block = std::vector<std::byte>;

// A run of writes on a disk that keeps what it is given, until the test takes something away: after
// the fdatasync, before anything is read back.
struct ReadBackTest : testing::Test {
  ReadBackTest() {
    workload.spec.read_percent = 0;
    workload.spec.verify = true;
    workload.spec.stop_early = false;
    workload.spec.block_size = Bytes{16384};
    workload.spec.queue_depth = 8;
    workload.spec.limits = {seconds{2}, {}, Ops{500}};
    workload.first_block = 1;
    workload.blocks = 100;
    queue.answer = [this](const Request& request, std::size_t number) {
      return answer(request, number);
    };
  }

  FakeQueue queue;
  Workload workload;
  BufferPool buffers = *BufferPool::create(8, Bytes{16384});
  std::map<std::uint64_t, Block> disk, before;  // by offset; before: what the last write replaced
  std::function<void()> mischief = [] {};
  std::uint64_t victim = 0;  // a block that was written more than once

  std::int32_t answer(const Request& request, std::size_t) {
    auto memory = buffers.slot(request.slot).subspan(request.buffer_offset, request.length);
    if (request.operation == Operation::fsync) {
      if (!before.empty()) victim = before.begin()->first;
      mischief();
    } else if (request.operation == Operation::write) {
      Block& block = disk[request.offset];
      if (!block.empty()) before[request.offset] = block;
      block.assign(memory.begin(), memory.end());
    } else {
      std::ranges::copy(disk.at(request.offset), memory.begin());
    }
    return FakeQueue::success(request);
  }
  Measurement run() {
    const RunContext context{.clock = queue.clock()};
    const auto measured = workload.spec.kind == Kind::latency
                              ? run_latency(queue, buffers, workload, context)
                              : run_capacity(queue, buffers, workload, context);
    EXPECT_TRUE(measured) << measured.error().message;
    return measured ? *measured : Measurement{};
  }
  Verification verification() {
    const Measurement measured = run();
    EXPECT_TRUE(measured.verification);
    return measured.verification.value_or(Verification{});
  }
};

TEST_F(ReadBackTest, FindsAllAsItWasWritten) {
  const Measurement measured = run();
  ASSERT_TRUE(measured.verification);
  EXPECT_EQ(measured.verification->blocks, disk.size());
  EXPECT_EQ(measured.verification->torn + measured.verification->stale, 0U);
  EXPECT_FALSE(measured.verification->first_bad);
  EXPECT_FALSE(before.empty());
}

TEST_F(ReadBackTest, ReadsEachBlockOnceAfterTheLastFdatasync) {
  run();
  const auto synced = std::ranges::find(queue.sent, Operation::fsync,
                                        [](const auto& sent) { return sent.request.operation; });
  ASSERT_NE(synced, queue.sent.end());
  std::set<std::uint64_t> read;
  for (auto sent = synced + 1; sent != queue.sent.end(); ++sent) {
    EXPECT_EQ(sent->request.operation, Operation::read);
    EXPECT_TRUE(read.insert(sent->request.offset).second);
  }
  EXPECT_EQ(read.size(), disk.size());
  EXPECT_FALSE(queue.slot_was_used_twice);
}

TEST_F(ReadBackTest, IsPaidForButNotMeasured) {
  const Measurement measured = run();
  EXPECT_EQ(measured.used[Operation::read].ops.value, disk.size());
  EXPECT_EQ(measured.used[Operation::read].bytes.value, disk.size() * 16384);
  EXPECT_EQ(measured.operations[Operation::read].ios, 0U);
  EXPECT_EQ(measured.operations[Operation::read].latency.count(), 0U);
  EXPECT_EQ(measured.elapsed, queue.elapsed());
  EXPECT_LT(measured.duration, measured.elapsed);
}

TEST_F(ReadBackTest, OfALatencyProbeToo) {
  workload.spec.kind = Kind::latency;
  workload.spec.queue_depth.reset();
  workload.spec.rate = 100;
  const Verification found = verification();
  EXPECT_EQ(found.blocks, disk.size());
  EXPECT_EQ(found.torn + found.stale, 0U);
  EXPECT_EQ(queue.most_in_flight, 1U);
}

TEST_F(ReadBackTest, OfAMixOfReadsAndWritesToo) {
  workload.spec.read_percent = 50;
  for (std::uint64_t block = 1; block <= 100; ++block) disk[block * 16384].resize(16384);
  const Verification found = verification();
  EXPECT_GT(found.blocks, 50U);
  EXPECT_LT(found.blocks, 100U);
  EXPECT_EQ(found.torn + found.stale, 0U);
}

TEST_F(ReadBackTest, AnOlderWriteIsStale) {
  mischief = [this] { disk[victim] = before[victim]; };
  const Verification found = verification();
  EXPECT_EQ(found.stale, 1U);
  EXPECT_EQ(found.torn, 0U);
  EXPECT_EQ(found.first_bad, Bytes{victim});
}

TEST_F(ReadBackTest, TheWriteOfAnotherPlaceOrAnotherRunIsStale) {
  mischief = [this] {
    disk[victim] = disk.rbegin()->second;
    Block& other = disk.rbegin()->second;
    fill_with_noise(other, 1);
    stamp(other, {1, disk.rbegin()->first, 1}, 1);
  };
  EXPECT_EQ(verification().stale, 2U);
}

TEST_F(ReadBackTest, HalfAWriteIsTorn) {
  mischief = [this] {
    std::copy_n(before[victim].begin() + 5 * 512, 512, disk[victim].begin() + 5 * 512);
  };
  const Verification found = verification();
  EXPECT_EQ(found.torn, 1U);
  EXPECT_EQ(found.stale, 0U);
  EXPECT_EQ(found.first_bad, Bytes{victim});
}

TEST_F(ReadBackTest, ADamagedBlockIsTorn) {
  mischief = [this] {
    disk[victim][9000] ^= std::byte{1};
    std::ranges::fill(disk.rbegin()->second, std::byte{});
  };
  EXPECT_EQ(verification().torn, 2U);
}

// Whatever is on the disk then, nobody has confirmed it.
TEST_F(ReadBackTest, AWriteThatFailedIsNotHeldAgainstTheVolume) {
  workload.blocks = 1000;
  queue.answer = [this](const Request& request, std::size_t number) {
    const std::int32_t result = answer(request, number);
    if (number % 50 != 7 || request.operation != Operation::write) return result;
    disk[request.offset][100] ^= std::byte{1};
    return -EIO;
  };
  const Measurement measured = run();
  ASSERT_TRUE(measured.verification);
  EXPECT_GT(measured.verification->blocks, 300U);
  EXPECT_LT(measured.verification->blocks, disk.size());
  EXPECT_EQ(measured.verification->torn + measured.verification->stale, 0U);
}

TEST_F(ReadBackTest, EndsAtTheTimeLimit) {
  queue.latency = [](const Request& request, std::size_t) {
    return milliseconds{request.operation == Operation::read ? 400 : 1};
  };
  const Verification found = verification();
  EXPECT_EQ(found.blocks, 5U * 8U);
  EXPECT_LT(queue.elapsed(), seconds{3});
}

TEST_F(ReadBackTest, ADeviceThatIsGoneIsAnErrorNotALoss) {
  workload.blocks = 1000;
  queue.answer = [this](const Request& request, std::size_t number) {
    return request.operation == Operation::read ? -EIO : answer(request, number);
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.verification->blocks, 0U);
  EXPECT_FALSE(lost_writes(measured));
  EXPECT_TRUE(failed_by_errors(measured));
  EXPECT_LT(measured.errors.at("EIO"), 120U);
}

TEST_F(ReadBackTest, TakesShortReadsAndRetries) {
  queue.answer = [this](const Request& request, std::size_t number) {
    if (request.operation != Operation::read) return answer(request, number);
    if (number % 3 == 0) return -EAGAIN;
    const std::uint64_t block = request.offset / 16384 * 16384;
    const Block& kept = disk.at(block);
    const std::uint32_t length = request.buffer_offset == 0 ? 4096 : request.length;
    std::copy_n(kept.begin() + std::ptrdiff_t(request.offset - block), length,
                buffers.slot(request.slot).begin() + request.buffer_offset);
    return std::int32_t(length);
  };
  const Measurement measured = run();
  EXPECT_EQ(measured.verification->blocks, disk.size());
  EXPECT_EQ(measured.verification->torn + measured.verification->stale, 0U);
  EXPECT_GT(measured.retries, 10U);
  EXPECT_GE(measured.short_ios, disk.size());
}

TEST_F(ReadBackTest, OnlyWhereTheProbeVerifies) {
  workload.spec.verify = false;
  EXPECT_FALSE(run().verification);
  EXPECT_EQ(queue.sent.back().request.operation, Operation::fsync);
}

}  // namespace
}  // namespace storage_probe::engine
