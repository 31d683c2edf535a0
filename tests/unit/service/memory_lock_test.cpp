// SPDX-License-Identifier: Apache-2.0
// In children: what is locked stays so until the process ends.
#include "service/memory_lock.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
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

// As nobody, without the capability that knows no limit.
std::string lock_under(rlim_t bytes) {
  return test::in_child([bytes] {
    const rlimit limit{bytes, bytes};
    constexpr uid_t kNobody = 65534;
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return std::string("the limit cannot be set");
    if (::setuid(kNobody) != 0) return std::string("nobody cannot be become");
    return lock_and_look();
  });
}

bool can_lock_all() {
  return test::in_child([] {
           return std::string(::mlockall(MCL_CURRENT | MCL_ONFAULT) == 0 ? "yes" : "no");
         }) == "yes";
}

class MemoryLock : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers do not lock memory";
    if (::geteuid() != 0) GTEST_SKIP() << "needs root: it becomes nobody";
  }
};

TEST_F(MemoryLock, TakesEverythingWhereItMay) {
  if (!can_lock_all()) GTEST_SKIP() << "root here lacks CAP_IPC_LOCK";
  EXPECT_EQ(test::in_child(lock_and_look), "all");
}

TEST_F(MemoryLock, TakesTheProgramWhereThatIsAllThatFits) {
  rlimit here{};
  ::getrlimit(RLIMIT_MEMLOCK, &here);
  EXPECT_EQ(lock_under(std::min(here.rlim_max, rlim_t{256} << 20U)), "program");
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
