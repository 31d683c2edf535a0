// SPDX-License-Identifier: Apache-2.0
// What only the io_uring queue has; what both have is in open_queue_test.cpp.
#include "engine/uring_queue.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/direct_file.h"

namespace storage_probe::engine {
namespace {

std::set<int> open_descriptors() {
  std::set<int> fds;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    fds.insert(std::stoi(entry.path().filename()));
  }
  std::erase_if(fds, [](int fd) { return ::fcntl(fd, F_GETFD) < 0; });  // the iterator's own
  return fds;
}

TEST(UringQueue, LeavesNoDescriptorBehindAndNoneToAChild) {
  const test::DirectFile file(1);
  BufferPool buffers = *BufferPool::create(1, Bytes{4096});
  const auto before = open_descriptors();
  {
    const auto queue = open_uring_queue({file.fd(), 1, buffers});
    if (!queue) GTEST_SKIP() << queue.error().message;
    for (const int fd : open_descriptors()) {
      if (!before.contains(fd)) {
        EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << fd;
      }
    }
  }
  EXPECT_EQ(open_descriptors(), before);
}

// A file that cannot be registered is one whose I/Os fail, each with its own error.
TEST(UringQueue, OpensOnADescriptorThatIsNone) {
  BufferPool buffers = *BufferPool::create(1, Bytes{4096});
  const auto queue = open_uring_queue({-1, 1, buffers});
  if (!queue) GTEST_SKIP() << queue.error().message;
  const Request request{.length = 4096};
  const auto completions = (*queue)->exchange({&request, 1}, 1, std::chrono::seconds{10});
  ASSERT_TRUE(completions) << completions.error().message;
  ASSERT_EQ(completions->size(), 1U);
  EXPECT_EQ(completions->front().result, -EBADF);
}

}  // namespace
}  // namespace storage_probe::engine
