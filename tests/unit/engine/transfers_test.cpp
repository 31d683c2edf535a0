// SPDX-License-Identifier: Apache-2.0
#include "engine/transfers.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <vector>

#include "engine/write_data.h"

namespace storage_probe::engine {
namespace {

constexpr unsigned kDepth = 4;
using State = Transfer::State;

// One slot's I/O by hand, without a loop or a queue.
struct TransfersTest : testing::Test {
  TransfersTest() {
    workload.spec.limits.ops = Ops{1000};
    workload.first_block = 1;
    workload.blocks = 100;
  }

  Workload workload;
  BufferPool buffers = *BufferPool::create(kDepth, Bytes{4096});
  Measurement measurement;
  std::optional<Transfers> transfers;

  void begin() { transfers.emplace(workload, buffers, kDepth, measurement); }
  Request start() {
    transfers->start_block({});
    return transfers->take_batch().front();
  }
  State complete(const Request& request, std::int32_t result) {
    return transfers->complete({request.slot, result}).state;
  }
};

TEST_F(TransfersTest, ResubmitsTheRestOfAShortIo) {
  begin();
  const Request whole = start();
  EXPECT_EQ(complete(whole, 1024), State::continued);
  const Request rest = transfers->take_batch().front();
  EXPECT_EQ(rest.slot, whole.slot);
  EXPECT_EQ(rest.offset, whole.offset + 1024);
  EXPECT_EQ(rest.buffer_offset, 1024U);
  EXPECT_EQ(rest.length, 3072U);
  EXPECT_EQ(complete(rest, 3072), State::completed);
  EXPECT_EQ(measurement.short_ios, 1U);
}

TEST_F(TransfersTest, AReadOfNothingInsideTheFileIsAnIoError) {
  begin();
  EXPECT_EQ(complete(start(), 0), State::incomplete);
  EXPECT_EQ(measurement.errors["EIO"], 1U);
  EXPECT_EQ(measurement.short_ios, 0U);
  EXPECT_EQ(transfers->in_flight(), 0U);
}

TEST_F(TransfersTest, RetriesEagainABoundedNumberOfTimes) {
  begin();
  Request request = start();
  unsigned sent = 1;
  while (complete(request, -EAGAIN) == State::continued) {
    request = transfers->take_batch().front();
    ASSERT_LT(++sent, 100U);
  }
  EXPECT_EQ(measurement.retries, 64U);
  EXPECT_EQ(measurement.errors["EAGAIN"], 1U);
}

TEST_F(TransfersTest, CountsEachErrorByItsName) {
  begin();
  complete(start(), -EIO);
  complete(start(), -ENOSPC);
  complete(start(), -EIO);
  EXPECT_EQ(measurement.errors["EIO"], 2U);
  EXPECT_EQ(measurement.errors["ENOSPC"], 1U);
  EXPECT_EQ(measurement.retries, 0U);
}

TEST_F(TransfersTest, IsSpentOneIoBeforeTheLimitWhenItWrites) {
  workload.spec.limits.ops = Ops{2};
  begin();
  start();
  EXPECT_FALSE(transfers->spent());
  workload.spec.read_percent = 0;
  begin();
  start();
  EXPECT_EQ(transfers->spent(), StopReason::ios);
}

TEST_F(TransfersTest, IsSpentWhenABlockNoLongerFits) {
  workload.spec.limits = {{}, Bytes{2 * 4096 + 4095}, {}};
  begin();
  start();
  EXPECT_FALSE(transfers->spent());
  start();
  EXPECT_EQ(transfers->spent(), StopReason::bytes);
}

TEST_F(TransfersTest, DoesNotPayForARestBeyondTheLimit) {
  workload.spec.limits.ops = Ops{1};
  begin();
  EXPECT_EQ(complete(start(), 512), State::incomplete);
  EXPECT_TRUE(transfers->take_batch().empty());
}

TEST_F(TransfersTest, SendsNoRestAfterTheEnd) {
  begin();
  const Request request = start();
  transfers->end();
  EXPECT_EQ(complete(request, -EAGAIN), State::incomplete);
  EXPECT_TRUE(transfers->take_batch().empty());
  EXPECT_TRUE(measurement.errors.empty());
}

TEST_F(TransfersTest, WantsAnFsyncAfterAsManyWritesAsTheSpecSays) {
  workload.spec.read_percent = 0;
  workload.spec.fsync_every = 2;
  begin();
  complete(start(), 4096);
  EXPECT_FALSE(transfers->wants_fsync());
  complete(start(), 4096);
  EXPECT_TRUE(transfers->wants_fsync());
  transfers->start_fsync({});
  EXPECT_FALSE(transfers->wants_fsync());
  EXPECT_EQ(complete(transfers->take_batch().front(), 0), State::completed);
}

TEST_F(TransfersTest, StampsEachWriteWithItsOffsetAndAGeneration) {
  workload.spec.read_percent = 0;
  begin();
  for (std::uint64_t generation = 1; generation < 3; ++generation) {
    const Request request = start();
    const auto mark = read_mark(buffers.slot(request.slot));
    EXPECT_EQ(mark, (WriteMark{transfers->writer(), request.offset, generation}));
  }
}

TEST_F(TransfersTest, KnowsTheLastWriteToEachBlockWhereItVerifies) {
  workload.spec.read_percent = 0;
  workload.spec.verify = true;
  begin();
  const Request lost = start();
  const Request good = start();
  complete(lost, -EIO);
  complete(good, 4096);
  const auto entry = transfers->written()->find_from(0);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->offset, good.offset);
  EXPECT_EQ(entry->generation, 2U);
  EXPECT_FALSE(transfers->written()->find_from(good.offset + 4096));
}

TEST_F(TransfersTest, NeverHasTwoWritesToABlockInFlightWhereItVerifies) {
  workload.spec.read_percent = 0;
  workload.spec.verify = true;
  workload.blocks = kDepth;
  begin();
  for (int round = 0; round < 50; ++round) {
    std::vector<Request> requests;
    std::set<std::uint64_t> offsets;
    while (transfers->has_free_slot()) {
      requests.push_back(start());
      offsets.insert(requests.back().offset);
    }
    ASSERT_EQ(offsets.size(), kDepth);
    for (const Request& request : requests) complete(request, 4096);
  }
}

TEST_F(TransfersTest, IsHopelessAfter100FailuresInARow) {
  begin();
  complete(start(), 4096);
  for (int i = 0; i < 99; ++i) complete(start(), -EIO);
  EXPECT_FALSE(transfers->is_hopeless());
  complete(start(), -EIO);
  EXPECT_TRUE(transfers->is_hopeless());
  complete(start(), 4096);
  EXPECT_FALSE(transfers->is_hopeless());
}

TEST_F(TransfersTest, RefusesAWorkloadThatMakesNoSense) {
  const auto message = [&](unsigned depth = 1) {
    const auto sound = Transfers::check(workload, buffers, depth);
    return sound ? std::string{} : sound.error().message;
  };
  EXPECT_EQ(message(), "");
  EXPECT_EQ(message(kDepth + 1), "workload: the buffers do not fit it");
  workload.blocks = 0;
  EXPECT_EQ(message(), "workload: no blocks to work on");
  workload.blocks = ~0ULL;
  EXPECT_EQ(message(), "workload: no blocks to work on");
  workload.blocks = 100;
  workload.spec.limits = {};
  EXPECT_EQ(message(), "workload: no limit of time, I/Os or bytes");
  workload.spec.block_size = Bytes{2 * kGiB.value};
  EXPECT_EQ(message(), "workload: no blocks of 2GiB");
}

}  // namespace
}  // namespace storage_probe::engine
