// SPDX-License-Identifier: Apache-2.0
// In children: what is locked stays so until the process ends.
#include "service/memory_lock.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/in_child.h"

namespace storage_probe::service {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // their runtime turns locking into nothing
#else
constexpr bool kSanitized = false;
#endif

// What lock_memory() says, and whether the kernel agrees.
std::string lock_and_look() {
  const auto locked = lock_memory();
  if (!locked) return locked.error().message;
  std::ifstream status("/proc/self/status");
  long kb = 0;
  for (std::string word; kb == 0 && status >> word;) {
    if (word == "VmLck:") status >> kb;
  }
  const std::string what = *locked == LockedMemory::all ? "all" : "program";
  return kb > 0 ? what : what + ", but nothing is locked";
}

std::string lock_under(rlim_t bytes) {
  return test::in_child([bytes] {
    const rlimit limit{bytes, bytes};
    constexpr uid_t kNobody = 65534;  // without the capability that knows no limit
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || ::setuid(kNobody) != 0) return std::string("?");
    return lock_and_look();
  });
}

class MemoryLock : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers do not lock memory";
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: it raises a limit and becomes nobody";
  }
};

TEST_F(MemoryLock, TakesEverythingWhereThereIsNoLimit) {
  EXPECT_EQ(lock_under(RLIM_INFINITY), "all");
}

TEST_F(MemoryLock, TakesTheProgramWhereThatIsAllThatFits) {
  EXPECT_EQ(lock_under(rlim_t{256} << 20U), "program");
}

TEST_F(MemoryLock, SaysWhyNothingIsLocked) {
  EXPECT_EQ(lock_under(0), "lock the program in memory: Operation not permitted");
  EXPECT_EQ(lock_under(4096), "lock the program in memory: Cannot allocate memory");
}

TEST_F(MemoryLock, IsNoneOfAChild) {
  EXPECT_EQ(test::in_child([] {
              static_cast<void>(lock_memory());
              return test::in_child([] {
                std::ifstream status("/proc/self/status");
                std::string word;
                while (status >> word && word != "VmLck:") {
                }
                return status >> word ? word : "?";
              });
            }),
            "0");
}

}  // namespace
}  // namespace storage_probe::service
