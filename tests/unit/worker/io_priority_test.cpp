// SPDX-License-Identifier: Apache-2.0
#include "worker/io_priority.h"

#include <gtest/gtest.h>
#include <linux/ioprio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>
#include <utility>

namespace storage_probe::worker {
namespace {

// Class and level of a thread that has asked for `priority`, and of one that it has started.
std::pair<long, long> ranks_after(IoPriority priority) {
  const auto rank = [] { return ::syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0); };
  std::pair<long, long> ranks;
  std::thread([&] {
    if (const auto set = set_io_priority(priority); !set) ADD_FAILURE() << set.error().message;
    ranks.first = rank();
    std::thread([&] { ranks.second = rank(); }).join();
  }).join();
  return ranks;
}

TEST(IoPriority, IsThatOfTheThreadAndOfThoseThatItStarts) {
  const auto best_effort = ranks_after(IoPriority::best_effort);
  EXPECT_EQ(best_effort.first, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7));
  EXPECT_EQ(best_effort.second, best_effort.first);
  const auto idle = ranks_after(IoPriority::idle);
  EXPECT_EQ(IOPRIO_PRIO_CLASS(idle.first), IOPRIO_CLASS_IDLE);
  EXPECT_EQ(IOPRIO_PRIO_CLASS(idle.second), IOPRIO_CLASS_IDLE);
}

TEST(IoPriority, IsLeftAloneWhereNoneIsAskedFor) {
  const long before = ::syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0);
  EXPECT_EQ(ranks_after(IoPriority::inherited).first, before);
}

}  // namespace
}  // namespace storage_probe::worker
