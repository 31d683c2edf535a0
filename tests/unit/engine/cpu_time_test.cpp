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

}  // namespace
}  // namespace storage_probe::engine
