// SPDX-License-Identifier: Apache-2.0
#include "worker/target_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::worker {
namespace {

TEST(TargetLock, IsHeldOnce) {
  const test::TempDir dir;
  const auto lock = lock_target(dir / "run", "db");
  ASSERT_TRUE(lock) << lock.error().message;
  const auto second = lock_target(dir / "run", "db");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::busy);
  EXPECT_EQ(second.error().message,
            "lock of target db: held by another process: a probe by hand, or a run of an "
            "earlier exporter that waits for the volume");
  EXPECT_TRUE(lock_target(dir / "run", "other"));
}

// A command that root runs by hand must leave the exporter's user able to lock.
TEST(TargetLock, BelongsToTheOwnerOfTheStateDirectory) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const test::TempDir dir;
  ASSERT_EQ(::chown(dir.path().c_str(), 65534, 65534), 0);
  ASSERT_TRUE(lock_target(dir / "run", "db"));
  struct ::stat facts {};
  ASSERT_EQ(::stat((dir / "run/db.lock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 65534U);
  ASSERT_EQ(::stat((dir / "run").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 65534U);
}

TEST(TargetLock, GivesNoFileOfAnotherAway) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const test::TempDir dir;
  test::write_file(dir / "precious", "root's");
  std::filesystem::create_hard_link(dir / "precious", dir / "db.lock");
  ASSERT_EQ(::chown(dir.path().c_str(), 65534, 65534), 0);
  ASSERT_TRUE(lock_target(dir.path(), "db"));
  struct ::stat facts {};
  ASSERT_EQ(::stat((dir / "precious").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 0U);
}

TEST(TargetLock, EndsWithItsLastDescriptor) {
  const test::TempDir dir;
  UniqueFd copy;
  {
    const auto lock = lock_target(dir.path(), "db");
    ASSERT_TRUE(lock);
    copy = UniqueFd(::fcntl(lock->get(), F_DUPFD_CLOEXEC, 0));
  }
  EXPECT_FALSE(lock_target(dir.path(), "db"));
  copy.reset();
  EXPECT_TRUE(lock_target(dir.path(), "db"));
}

TEST(TargetLock, TellsWhetherItIsHeldAndMakesNothing) {
  const test::TempDir dir;
  const auto before = is_locked(dir / "run", "db");
  ASSERT_TRUE(before) << before.error().message;
  EXPECT_FALSE(*before);
  EXPECT_FALSE(std::filesystem::exists(dir / "run"));
  auto lock = lock_target(dir / "run", "db");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(*is_locked(dir / "run", "db"));
  lock->reset();
  EXPECT_FALSE(*is_locked(dir / "run", "db"));
}

TEST(TargetLock, RefusesNamesThatAreNoFileName) {
  const test::TempDir dir;
  for (const char* name : {"", ".", "../x", "a/b", ".hidden"}) {
    const auto lock = lock_target(dir.path(), name);
    ASSERT_FALSE(lock) << name;
    EXPECT_EQ(lock.error().code, Errc::invalid);
  }
}

TEST(TargetLock, FollowsNoSymbolicLink) {
  const test::TempDir dir;
  const auto file = test::write_file(dir / "file", "");
  std::filesystem::create_symlink(file, dir / "db.lock");
  EXPECT_FALSE(lock_target(dir.path(), "db"));
}

TEST(TargetLock, NamesTheDirectoryThatCannotBeMade) {
  const test::TempDir dir;
  const auto file = test::write_file(dir / "file", "");
  const auto lock = lock_target(file / "run", "db");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().message,
            "lock of target db: make " + (file / "run").string() + ": Not a directory");
}

}  // namespace
}  // namespace storage_probe::worker
