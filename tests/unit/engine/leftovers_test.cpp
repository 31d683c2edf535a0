// SPDX-License-Identifier: Apache-2.0
#include "engine/leftovers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <string>

#include "engine/probe_header.h"
#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
namespace {

namespace fs = std::filesystem;
using test::write_file;

constexpr std::time_t kDay = 24 * 60 * 60;
constexpr const char* kGone = "aaaaaaaaaaaaaaaa";

// The clock of the file server is what the lease was last written at: here days after all the rest,
// for nobody can set the time at which a file's own facts changed.
class LeftoversTest : public ::testing::Test {
 protected:
  LeftoversTest()
      : target_(test::checked(dir_.path())),
        beside_(*ManagedFile::create(target_, test::request(kMiB))) {
    write_file(path("lease"), "");
    let_days_pass(8);
  }

  fs::path path(const std::string& name) const { return dir_ / ".storage-probe" / name; }
  void let_days_pass(int days) const {
    const timespec at{std::time(nullptr) + days * kDay, 0};
    const timespec times[]{at, at};
    ASSERT_EQ(::utimensat(AT_FDCWD, path("lease").c_str(), times, 0), 0);
  }
  void make_ours(const std::string& name) const {
    const auto header = encode_header({Bytes{1 << 20}, 7, kGone});
    write_file(path(name), {reinterpret_cast<const char*>(header.data()), header.size()});
  }
  std::size_t remove() const {
    return remove_leftovers(beside_, [](const std::string& host) { return host != kGone; });
  }

  test::TempDir dir_;
  CheckedDirectory target_;
  ManagedFile beside_;
};

TEST_F(LeftoversTest, OfAHostThatIsGoneAreRemoved) {
  make_ours(std::string(kGone) + ".dat");
  write_file(path(std::string(kGone) + ".dat.new"), "half of one");
  EXPECT_EQ(remove(), 2U);
  EXPECT_FALSE(fs::exists(path(std::string(kGone) + ".dat")));
  EXPECT_TRUE(fs::exists(path("lease")));
}

TEST_F(LeftoversTest, OfAKnownHostStay) {
  make_ours("bbbbbbbbbbbbbbbb.dat");
  EXPECT_EQ(remove(), 0U);
}

TEST_F(LeftoversTest, ThatWereInUseWithinTheWeekStay) {
  make_ours(std::string(kGone) + ".dat");
  let_days_pass(6);
  EXPECT_EQ(remove(), 0U);
}

TEST_F(LeftoversTest, WithoutOurHeaderStay) {
  write_file(path(std::string(kGone) + ".dat"), std::string(8192, 'x'));
  EXPECT_EQ(remove(), 0U);
}

TEST_F(LeftoversTest, WithAnotherNameStay) {
  for (const char* name : {"shared.dat", "shared.dat.new", "AAAAAAAAAAAAAAAA.dat", "aaaa.dat",
                           "aaaaaaaaaaaaaaaa.data", "aaaaaaaaaaaaaaaaa.dat", "aaaaaaaaaaaaaaaa"})
    make_ours(name);
  EXPECT_EQ(remove(), 0U);
}

TEST_F(LeftoversTest, AreNeverLookedForBehindALink) {
  make_ours("victim");
  fs::create_symlink(path("victim"), path(std::string(kGone) + ".dat"));
  fs::create_hard_link(path("victim"), path("bbbbbbbbbbbbbbbb.dat"));
  ::mkfifo(path("cccccccccccccccc.dat.new").c_str(), 0600);
  EXPECT_EQ(remove_leftovers(beside_, [](const std::string&) { return false; }), 0U);
  EXPECT_TRUE(fs::exists(path("victim")));
}

TEST_F(LeftoversTest, StayWithoutALeaseToTellTheTime) {
  make_ours(std::string(kGone) + ".dat");
  fs::remove(path("lease"));
  EXPECT_EQ(remove(), 0U);
}

TEST_F(LeftoversTest, OfAnotherHostIsTakenOver) {
  write_file(path("bbbbbbbbbbbbbbbb.dat"), std::string(8192, 'x'));
  EXPECT_FALSE(adopt_leftover(beside_));
  make_ours(std::string(kGone) + ".dat.new");
  EXPECT_FALSE(adopt_leftover(beside_));
  make_ours(std::string(kGone) + ".dat");
  EXPECT_TRUE(adopt_leftover(beside_));
  EXPECT_TRUE(fs::exists(path("00c0ffee00c0ffee.dat")));
  EXPECT_FALSE(fs::exists(path(std::string(kGone) + ".dat")));
}

TEST_F(LeftoversTest, IsNotTakenOverInPlaceOfOurs) {
  make_ours(std::string(kGone) + ".dat");
  write_file(path("00c0ffee00c0ffee.dat"), "somebody else's");
  EXPECT_FALSE(adopt_leftover(beside_));
  EXPECT_EQ(test::read_whole(path("00c0ffee00c0ffee.dat")), "somebody else's");
}

}  // namespace
}  // namespace storage_probe::engine
