// SPDX-License-Identifier: Apache-2.0
// What both engines have in common, on a real file, and which one is taken.
#include "engine/open_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <vector>

#include "engine/runner.h"
#include "support/direct_file.h"
#include "support/in_child.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::DirectFile;

constexpr std::uint64_t kBlock = DirectFile::kBlock;
constexpr unsigned kDepth = 8;

std::uint64_t first_word(const BufferPool& buffers, std::uint32_t slot) {
  std::uint64_t word = 0;
  std::memcpy(&word, buffers.slot(slot).data(), sizeof(word));
  return word;
}

class EveryQueue : public testing::TestWithParam<Engine> {
 protected:
  void open(const DirectFile& file, unsigned depth = kDepth) {
    if (file.fd() < 0) GTEST_SKIP() << "no direct I/O in " << file.path();
    auto opened = open_queue(GetParam(), {file.fd(), depth, buffers});
    if (!opened) GTEST_SKIP() << opened.error().message;
    EXPECT_EQ(opened->engine, GetParam());
    EXPECT_EQ(opened->note, "");
    queue = std::move(opened->queue);
  }
  std::int32_t result_of(const Request& request) {
    const auto completions = queue->exchange({&request, 1}, 1, seconds{10});
    if (!completions || completions->size() != 1) return -ETIME;
    return completions->front().result;
  }

  BufferPool buffers = *BufferPool::create(kDepth, Bytes{kBlock});
  std::unique_ptr<IoQueue> queue;
};

INSTANTIATE_TEST_SUITE_P(Queue, EveryQueue, testing::Values(Engine::io_uring, Engine::threads),
                         [](const auto& param) { return std::string(to_text(param.param)); });

TEST_P(EveryQueue, ReadsEveryBlockWithItsOwnData) {
  constexpr std::uint64_t kBlocks = 200;
  const DirectFile file(kBlocks);
  open(file);
  if (IsSkipped()) return;
  std::set<std::uint64_t> seen;
  for (std::uint64_t first = 0; first < kBlocks; first += kDepth) {
    std::vector<Request> batch;
    for (std::uint32_t slot = 0; slot < kDepth; ++slot) {
      batch.push_back({.slot = slot, .length = kBlock, .offset = (first + slot) * kBlock});
    }
    const auto completions = queue->exchange(batch, kDepth, seconds{10});
    ASSERT_TRUE(completions) << completions.error().message;
    ASSERT_EQ(completions->size(), kDepth);
    for (const Completion& completion : *completions) {
      EXPECT_EQ(completion.result, std::int32_t(kBlock));
      EXPECT_EQ(first_word(buffers, completion.slot), (first + completion.slot) * kBlock);
      seen.insert(first_word(buffers, completion.slot));
    }
  }
  EXPECT_EQ(seen.size(), kBlocks);
}

TEST_P(EveryQueue, WritesSyncsAndReadsBack) {
  const DirectFile file(4);
  open(file);
  if (IsSkipped()) return;
  std::memset(buffers.slot(3).data(), 0x5a, kBlock);
  EXPECT_EQ(
      result_of({.operation = Operation::write, .slot = 3, .length = kBlock, .offset = kBlock}),
      std::int32_t(kBlock));
  EXPECT_EQ(result_of({.operation = Operation::fsync, .slot = 2}), 0);
  EXPECT_EQ(result_of({.slot = 1, .length = kBlock, .offset = kBlock}), std::int32_t(kBlock));
  EXPECT_EQ(first_word(buffers, 1), 0x5a5a5a5a5a5a5a5aULL);
}

TEST_P(EveryQueue, PutsTheRestOfAShortIoBehindItsFirstPart) {
  const DirectFile file(1);
  open(file);
  if (IsSkipped()) return;
  const Request rest{.slot = 1, .length = 1024, .buffer_offset = 3072, .offset = 3072};
  EXPECT_EQ(result_of(rest), 1024);
  std::uint64_t word = 0;
  std::memcpy(&word, buffers.slot(1).data() + 3072, sizeof(word));
  EXPECT_EQ(word, 3072U);
  EXPECT_EQ(first_word(buffers, 1), 0U);
}

TEST_P(EveryQueue, HandsOnTheErrorsOfIos) {
  const DirectFile file(1, O_WRONLY);
  open(file);
  if (IsSkipped()) return;
  EXPECT_EQ(result_of({.length = kBlock}), -EBADF);
  EXPECT_EQ(result_of({.operation = Operation::write, .length = 100, .offset = 1}), -EINVAL);
}

TEST_P(EveryQueue, ReadsNothingBehindTheEnd) {
  const DirectFile file(1);
  open(file);
  if (IsSkipped()) return;
  EXPECT_EQ(result_of({.length = kBlock, .offset = 8 * kBlock}), 0);
}

TEST_P(EveryQueue, WaitsNoLongerThanItsTimeout) {
  const DirectFile file(1);
  open(file);
  if (IsSkipped()) return;
  const auto start = std::chrono::steady_clock::now();
  const auto completions = queue->exchange({}, 1, milliseconds{20});
  ASSERT_TRUE(completions) << completions.error().message;
  EXPECT_TRUE(completions->empty());
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds{20});
}

TEST_P(EveryQueue, RefusesMoreThanItsDepth) {
  const DirectFile file(1);
  open(file, 4);
  if (IsSkipped()) return;
  std::vector<Request> batch(5, {.length = kBlock});
  for (std::uint32_t slot = 0; slot < 5; ++slot) batch[slot].slot = slot;
  EXPECT_FALSE(queue->exchange(batch, 1, seconds{10}));
}

TEST_P(EveryQueue, ClosesWithIosInFlight) {
  const DirectFile file(8);
  open(file);
  if (IsSkipped()) return;
  std::vector<Request> batch;
  for (std::uint32_t slot = 0; slot < kDepth; ++slot) {
    batch.push_back({.slot = slot, .length = kBlock, .offset = slot * kBlock});
  }
  EXPECT_TRUE(queue->exchange(batch, 0, {}));
  queue.reset();
}

TEST_P(EveryQueue, CarriesACapacityRunThatWrites) {
  const DirectFile file(101);
  open(file);
  if (IsSkipped()) return;
  Workload workload{.first_block = 1, .blocks = 100, .seed = 1};
  workload.spec.read_percent = 50;
  workload.spec.queue_depth = kDepth;
  workload.spec.fsync_every = 50;
  workload.spec.limits.ops = Ops{400};
  const auto measured = run_capacity(*queue, buffers, workload, {});
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_TRUE(measured->errors.empty());
  Usage used;
  for (const Operation operation : kOperations) used += measured->used[operation];
  EXPECT_EQ(used.ops, Ops{400});
  EXPECT_EQ(result_of({.length = kBlock}), std::int32_t(kBlock));
  EXPECT_EQ(first_word(buffers, 0), 0U) << "block 0 lies outside of the workload";
}

// Refuses io_uring_setup to this process, as container runtimes do.
bool refuse_io_uring(int errno_value) {
  const auto number = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
  std::array<sock_filter, 4> rules{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | std::uint32_t(errno_value)),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{rules.size(), rules.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// Opens a queue and reads a block through it: the engine and its note, or what went wrong.
std::string engine_in_use(Engine wanted, const DirectFile& file, unsigned depth) {
  const auto buffers = BufferPool::create(depth, Bytes{kBlock});
  BufferPool pool = buffers->share();
  auto opened = open_queue(wanted, {file.fd(), depth, pool});
  if (!opened) return "error: " + opened.error().message;
  const Request request{.length = kBlock};
  const auto completions = opened->queue->exchange({&request, 1}, 1, seconds{10});
  if (!completions || completions->size() != 1) return "no completion";
  if (completions->front().result != std::int32_t(kBlock)) return "no block";
  return std::string(to_text(opened->engine)) + " " + opened->note;
}

std::string engine_under_filter(Engine wanted, int errno_value) {
  const DirectFile file(1);
  if (file.fd() < 0) return "no direct I/O";
  return test::in_child(
      [&] { return refuse_io_uring(errno_value) ? engine_in_use(wanted, file, 4) : "no seccomp"; });
}

// moby/moby#46762: the default filters of container runtimes. semgrep/semgrep#11836: other errors
// than EPERM taken as fatal.
TEST(OpenQueue, FallsBackToThreadsAndNamesTheCause) {
  const std::string eperm = engine_under_filter(Engine::automatic, EPERM);
  if (eperm == "no seccomp" || eperm == "no direct I/O") GTEST_SKIP() << eperm;
  EXPECT_EQ(
      eperm,
      "threads io_uring_setup: Operation not permitted (EPERM): kernel.io_uring_disabled or a "
      "seccomp filter");
  EXPECT_EQ(engine_under_filter(Engine::automatic, ENOSYS).substr(0, 49),
            "threads io_uring_setup: Function not implemented ");
  for (const int errno_value : {ENOMEM, EINVAL, EOPNOTSUPP, EACCES}) {
    EXPECT_EQ(engine_under_filter(Engine::automatic, errno_value).substr(0, 24),
              "threads io_uring_setup: ");
  }
}

TEST(OpenQueue, FailsWhereOnlyIoUringWillDo) {
  const std::string text = engine_under_filter(Engine::io_uring, EPERM);
  if (text == "no seccomp" || text == "no direct I/O") GTEST_SKIP() << text;
  EXPECT_EQ(text,
            "error: io_uring_setup: Operation not permitted (EPERM): kernel.io_uring_disabled or a "
            "seccomp filter");
}

TEST(OpenQueue, WorksWithHardlyAnyLockedMemory) {
  const DirectFile file(1);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O in " << file.path();
  const bool has_io_uring = engine_in_use(Engine::io_uring, file, 4) == "io_uring ";
  if (!has_io_uring) GTEST_SKIP() << "no io_uring";
  EXPECT_EQ(test::in_child([&]() -> std::string {
              const rlimit limit{64 * 1024, 64 * 1024};
              if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "no limit";
              constexpr uid_t kNobody = 65534;  // root locks as much as it likes
              if (::getuid() == 0 && ::setuid(kNobody) != 0) return "no other user";
              return engine_in_use(Engine::io_uring, file, 256);
            }),
            "io_uring ");
}

TEST(OpenQueue, RefusesADepthBeyondTheBuffers) {
  BufferPool buffers = *BufferPool::create(2, Bytes{kBlock});
  for (const unsigned depth : {0U, 3U}) {
    const auto opened = open_queue(Engine::automatic, {0, depth, buffers});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::invalid);
  }
}

}  // namespace
}  // namespace storage_probe::engine
