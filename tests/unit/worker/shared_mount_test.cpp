// SPDX-License-Identifier: Apache-2.0
#include "worker/shared_mount.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::worker {
namespace {

using namespace std::chrono_literals;
using test::read_whole;
using test::write_file;

Usage ops(std::uint64_t n) { return {{}, {}, Ops{n}}; }

// Locks of open files are between descriptors, so that one process can be several hosts.
class SharedMountTest : public ::testing::Test {
 protected:
  SharedMountTest()
      : target_(test::checked(dir_.path())),
        beside_(*engine::ManagedFile::create(target_, test::request(kMiB))) {}

  static Job job(const std::string& host) {
    Job job;
    job.host_id = host;
    job.fleet = FleetTerms{{864s, kGiB, Ops{1000}}, {}, {}, 30s};
    return job;
  }
  SharedMount open(const Job& job, const std::string& boot_id = "a boot") const {
    auto mount = SharedMount::open(beside_, job, boot_id);
    if (!mount) throw std::runtime_error(mount.failure().message);
    return *std::move(mount);
  }
  std::filesystem::path lease() const { return dir_ / ".storage-probe/lease"; }

  test::TempDir dir_;
  engine::CheckedDirectory target_;
  engine::ManagedFile beside_;
  const Job a_ = job("a"), b_ = job("b"), c_ = job("c");
};

TEST_F(SharedMountTest, OneHostAtATimeHasTheTurn) {
  SharedMount a = open(a_);
  SharedMount b = open(b_);
  ASSERT_FALSE(a.take_turn(ops(1)));
  const auto refused = b.take_turn(ops(1));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->deferral, Deferral::shared_lease);
  a.end_turn();
  EXPECT_FALSE(b.take_turn(ops(1)));
}

TEST_F(SharedMountTest, WhoWaitsGoesBeforeWhoHasJustHadATurn) {
  SharedMount a = open(a_);
  SharedMount b = open(b_);
  ASSERT_FALSE(a.take_turn(ops(1)));
  ASSERT_TRUE(b.take_turn(ops(1)));
  a.end_turn();
  const auto refused = a.take_turn(ops(1));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->deferral, Deferral::shared_lease);
  EXPECT_NE(refused->failure.message.find("turn of host b"), std::string::npos);
}

TEST_F(SharedMountTest, TheHostsPayFromOneAllowance) {
  SharedMount a = open(a_);
  SharedMount b = open(b_);
  ASSERT_FALSE(a.pay(ops(600)));
  const auto refused = b.pay(ops(600));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->deferral, Deferral::budget);
  a.settle(ops(100));
  EXPECT_FALSE(b.pay(ops(600)));
  EXPECT_EQ(b.hosts_seen(), 2U);
}

TEST_F(SharedMountTest, AHostThatCannotPayKeepsNobodyWaiting) {
  SharedMount a = open(a_);
  SharedMount b = open(b_);
  ASSERT_EQ(a.take_turn(ops(1001))->deferral, Deferral::budget);
  EXPECT_FALSE(b.take_turn(ops(1)));
}

TEST_F(SharedMountTest, WhatADeadHostHadPaidStaysSpent) {
  {
    SharedMount a = open(a_);
    ASSERT_FALSE(a.take_turn(ops(900)));
  }
  SharedMount b = open(b_);
  EXPECT_EQ(b.take_turn(ops(101))->deferral, Deferral::budget);
  EXPECT_FALSE(b.take_turn(ops(100)));
}

TEST_F(SharedMountTest, APersonsRunPaysNothingButWaitsForAnothersTurn) {
  Job person = a_;
  person.fleet.reset();
  SharedMount mine = open(person);
  SharedMount b = open(b_);
  ASSERT_FALSE(b.take_turn(ops(1)));
  EXPECT_TRUE(mine.take_turn(ops(1'000'000)));
  b.end_turn();
  const std::string before = read_whole(lease());
  EXPECT_FALSE(mine.take_turn(ops(1'000'000)));
  EXPECT_FALSE(mine.pay(ops(1'000'000)));
  mine.settle(ops(5));
  EXPECT_EQ(read_whole(lease()), before);
  EXPECT_TRUE(b.take_turn(ops(1)));
}

TEST_F(SharedMountTest, DoesNothingWithWhatIsNotItsOwnOrNewer) {
  for (const char* text : {"storage-probe-lease 2 anything\n", "somebody's file\n"}) {
    write_file(lease(), text);
    SharedMount a = open(a_);
    for (const auto& refused : {a.take_turn(ops(1)), a.pay(ops(1))}) {
      ASSERT_TRUE(refused);
      EXPECT_EQ(refused->failure.code, "file_conflict");
      EXPECT_EQ(refused->deferral, std::nullopt);
    }
    EXPECT_EQ(read_whole(lease()), text);
  }
}

TEST_F(SharedMountTest, TakesADamagedLeaseForADaySpent) {
  write_file(lease(), "storage-probe-lease 1 3 0000000000000000\nnow");
  SharedMount a = open(a_);
  EXPECT_EQ(a.pay(ops(1))->deferral, Deferral::budget);
}

TEST_F(SharedMountTest, RefusesTheCopyOfAMachine) {
  SharedMount original = open(a_);
  SharedMount clone = open(a_, "another boot");
  ASSERT_FALSE(original.pay(ops(1)));
  ASSERT_FALSE(clone.pay(ops(1)));
  const auto refused = original.pay(ops(1));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->failure.code, "file_conflict");
  EXPECT_NE(refused->failure.message.find("--host.id"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::worker
