// SPDX-License-Identifier: Apache-2.0
// What only the thread queue has; what both have is in open_queue_test.cpp.
#include "engine/thread_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

#include "support/direct_file.h"

namespace storage_probe::engine {
namespace {

// Makes every access to `memory` wait until the returned descriptor is closed: a read into it hangs
// as on a disk that does not answer.
UniqueFd make_unreachable(std::span<std::byte> memory) {
  UniqueFd fault(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(memory.data()), memory.size()};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  const bool works = fault && ::ioctl(fault.get(), UFFDIO_API, &api) == 0 &&
                     ::ioctl(fault.get(), UFFDIO_REGISTER, &range) == 0 &&
                     ::madvise(memory.data(), memory.size(), MADV_DONTNEED) == 0;
  return works ? std::move(fault) : UniqueFd();
}

TEST(ThreadQueue, ClosesWhileAThreadIsStuckInARead) {
  const test::DirectFile file(1);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O in " << file.path();
  BufferPool buffers = *BufferPool::create(1, Bytes{4096});
  UniqueFd hang = make_unreachable(buffers.memory());
  if (!hang) GTEST_SKIP() << "no userfaultfd";
  auto queue = open_thread_queue({file.fd(), 1, buffers});
  ASSERT_TRUE(queue) << queue.error().message;
  const Request request{.length = 4096};
  const auto completions = (*queue)->exchange({&request, 1}, 1, std::chrono::milliseconds{50});
  ASSERT_TRUE(completions);
  EXPECT_TRUE(completions->empty());
  queue->reset();  // would wait for ever if it joined the thread
  hang.reset();
}

TEST(ThreadQueue, NeedsADescriptor) {
  BufferPool buffers = *BufferPool::create(1, Bytes{4096});
  const auto queue = open_thread_queue({-1, 1, buffers});
  ASSERT_FALSE(queue);
  EXPECT_EQ(queue.error().message,
            "I/O threads: duplicate the file's descriptor: Bad file descriptor");
}

}  // namespace
}  // namespace storage_probe::engine
