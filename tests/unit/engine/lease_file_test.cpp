// SPDX-License-Identifier: Apache-2.0
#include "engine/lease_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
namespace {

namespace fs = std::filesystem;
using test::read_whole;
using test::write_file;

// Locks of open files are between descriptors, so that one process can be several hosts.
class LeaseFileTest : public ::testing::Test {
 protected:
  LeaseFileTest()
      : target_(test::checked(dir_.path())),
        beside_(*ManagedFile::create(target_, test::request(kMiB))) {}

  fs::path path() const { return dir_ / ".storage-probe/lease"; }
  LeaseFile open() const {
    auto file = LeaseFile::open(beside_);
    if (!file) throw std::runtime_error(file.failure().message);
    return *std::move(file);
  }

  test::TempDir dir_;
  CheckedDirectory target_;
  ManagedFile beside_;
};

TEST_F(LeaseFileTest, IsMadeEmptyForTheOwnersGroupToo) {
  const LeaseFile file = open();
  EXPECT_EQ(read_whole(path()), "");
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms{0660});
  EXPECT_EQ(file.name(), path());
}

TEST_F(LeaseFileTest, GivesTheTurnToOneAtATime) {
  const LeaseFile a = open();
  const LeaseFile b = open();
  EXPECT_TRUE(*a.take_turn());
  EXPECT_FALSE(*b.take_turn());
  a.release_turn();
  EXPECT_TRUE(*b.take_turn());
}

TEST_F(LeaseFileTest, TheTurnEndsWithItsHolder) {
  const LeaseFile other = open();
  const pid_t holder = ::fork();
  if (holder == 0) {
    const LeaseFile file = open();
    if (!*file.take_turn()) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(holder, &status, 0), holder);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(*other.take_turn());
}

TEST_F(LeaseFileTest, IsChangedWhileAnotherHasTheTurn) {
  const LeaseFile a = open();
  const LeaseFile b = open();
  ASSERT_TRUE(*a.take_turn());
  ASSERT_TRUE(*b.update([](std::string_view) { return "from b"; }));
  std::string seen;
  ASSERT_TRUE(*a.update([&](std::string_view bytes) {
    seen = bytes;
    return std::nullopt;
  }));
  EXPECT_EQ(seen, "from b");
}

TEST_F(LeaseFileTest, IsChangedByOneAtATime) {
  std::vector<std::thread> hosts;
  for (int i = 0; i < 4; ++i) {
    hosts.emplace_back([this] {
      const LeaseFile file = open();
      for (int n = 0; n < 10; ++n) {
        const auto done =
            file.update([](std::string_view bytes) { return std::string(bytes) + "x"; });
        EXPECT_TRUE(done && *done);
      }
    });
  }
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(read_whole(path()), std::string(40, 'x'));
}

TEST_F(LeaseFileTest, SaysThatItCouldNotBeChangedWhileAnotherIsAtIt) {
  const LeaseFile a = open();
  const LeaseFile b = open();
  ASSERT_TRUE(*a.update([&](std::string_view) {
    const auto done = b.update([](std::string_view) { return "b"; });
    EXPECT_TRUE(done);
    EXPECT_FALSE(*done);
    return "a";
  }));
  EXPECT_EQ(read_whole(path()), "a");
}

TEST_F(LeaseFileTest, IsNotReadToTheEndHoweverLongItIs) {
  write_file(path(), std::string(5 << 20, 'x'));
  const LeaseFile file = open();
  std::size_t size = 0;
  ASSERT_TRUE(*file.update([&](std::string_view bytes) {
    size = bytes.size();
    return std::nullopt;
  }));
  EXPECT_EQ(size, 2U << 20U);
}

TEST_F(LeaseFileTest, RefusesWhatIsNoPlainFileAndLeavesItUntouched) {
  write_file(dir_ / "victim", "precious");
  for (const int kind : {0, 1, 2, 3}) {
    fs::remove_all(path());
    if (kind == 0) fs::create_symlink(dir_ / "victim", path());
    if (kind == 1) fs::create_directory(path());
    if (kind == 2) ::mkfifo(path().c_str(), 0600);
    if (kind == 3) fs::create_hard_link(dir_ / "victim", path());
    const auto file = LeaseFile::open(beside_);
    ASSERT_FALSE(file) << kind;
    EXPECT_EQ(file.failure().code, "file_conflict");
  }
  EXPECT_EQ(read_whole(dir_ / "victim"), "precious");
}

TEST_F(LeaseFileTest, DoesNotChangeAFileThatIsNoLongerUnderItsName) {
  const LeaseFile file = open();
  fs::rename(path(), dir_ / "elsewhere");
  const auto never = [](std::string_view) -> std::optional<std::string> { return "new"; };
  EXPECT_FALSE(file.update(never));
  write_file(path(), "another");
  const auto refused = file.update(never);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.failure().code, "file_conflict");
  EXPECT_EQ(read_whole(path()), "another");
  EXPECT_EQ(read_whole(dir_ / "elsewhere"), "");
}

}  // namespace
}  // namespace storage_probe::engine
