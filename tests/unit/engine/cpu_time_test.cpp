// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu_time.h"

#include <gtest/gtest.h>

#include <thread>

namespace storage_probe::engine {
namespace {

TEST(CpuTime, CountsTheWorkOfOtherThreads) {
  const CpuTime before = CpuTime::now();
  std::thread([&] {
    while (CpuTime::now().user + CpuTime::now().system - before.user - before.system <
           std::chrono::milliseconds{2}) {
    }
  }).join();
  const CpuTime after = CpuTime::now();
  EXPECT_GE(after.user + after.system - before.user - before.system, std::chrono::milliseconds{2});
}

TEST(CpuTime, OfAThreadLeavesOutTheOthers) {
  const CpuTime before = CpuTime::of_this_thread();
  std::thread([&] {
    const CpuTime start = CpuTime::of_this_thread();
    while (CpuTime::of_this_thread().total() - start.total() < std::chrono::milliseconds{20}) {
    }
  }).join();
  const Duration ours = CpuTime::of_this_thread().total() - before.total();
  EXPECT_LT(ours, std::chrono::milliseconds{20});
}

}  // namespace
}  // namespace storage_probe::engine
