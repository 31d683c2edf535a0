// SPDX-License-Identifier: Apache-2.0
#include "service/holds.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using test::TempDir;

const WallTime kNow{seconds(1'700'000'000)};

class HoldsTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
  }
  Holds read() const { return read_holds(directory_.path(), kNow); }

  TempDir directory_;
};

TEST_F(HoldsTest, ADirectoryThatIsNotThereHoldsNothing) {
  EXPECT_TRUE(read_holds(directory_ / "none", kNow).empty());
}

TEST_F(HoldsTest, ATouchedFileHoldsUntilItIsRemoved) {
  put("db", "");
  EXPECT_EQ(read(), (Holds{{"db", Hold{}}}));
  std::filesystem::remove(directory_ / "db");
  EXPECT_TRUE(read().empty());
}

TEST_F(HoldsTest, WhatIsWrittenIsRead) {
  const Hold hold{kNow + hours(4), "kernel update"};
  ASSERT_TRUE(write_hold(directory_.path(), "db", hold));
  EXPECT_EQ(read(), (Holds{{"db", hold}}));
}

TEST_F(HoldsTest, AHoldThatIsOverHoldsNothing) {
  ASSERT_TRUE(write_hold(directory_.path(), "db", {kNow, "over"}));
  EXPECT_TRUE(read().empty());
}

TEST_F(HoldsTest, ATimeThatMakesNoSenseHoldsUntilItIsReleased) {
  put("db", "until=tomorrow\nreason=x\n");
  put("web", "until=99999999999999999999\n");
  const Holds holds = read();
  EXPECT_FALSE(holds.at("db").until || holds.at("web").until);
  EXPECT_EQ(holds.at("db").reason,
            "x; until=tomorrow is no time: write the seconds since the epoch, as date +%s does, or "
            "hold it anew");
}

TEST_F(HoldsTest, AReasonOfSeveralLinesStaysOneAndSetsNoTime) {
  ASSERT_TRUE(write_hold(directory_.path(), "db", {{}, "first\nuntil=1"}));
  EXPECT_EQ(read(), (Holds{{"db", Hold{{}, "first until=1"}}}));
}

TEST_F(HoldsTest, AFileThatIsStillBeingWrittenIsNone) {
  put(".db", "until=");
  EXPECT_TRUE(read().empty());
}

TEST_F(HoldsTest, ANameThatEndsInNewIsATargetsLikeAnyOther) {
  ASSERT_TRUE(write_hold(directory_.path(), "db.new", {}));
  EXPECT_EQ(read(), (Holds{{"db.new", Hold{}}}));
}

TEST_F(HoldsTest, WhatCannotBeReadHoldsAndSaysWhy) {
  std::filesystem::create_directory(directory_ / "db");
  std::filesystem::create_symlink("/nowhere/at/all", directory_ / "web");
  ASSERT_EQ(mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  put("long", std::string(5000, 'x'));
  const Holds holds = read();
  for (const char* const name : {"db", "web", "pipe", "long"}) {
    ASSERT_TRUE(holds.contains(name)) << name;
    EXPECT_FALSE(holds.at(name).reason.empty()) << name;
  }
}

TEST_F(HoldsTest, ADirectoryThatCannotBeReadHoldsAll) {
  put("file", "");
  const Holds holds = read_holds(directory_ / "file", kNow);
  ASSERT_NE(find_hold(holds, "anything"), nullptr);
  EXPECT_NE(find_hold(holds, "anything")->reason.find("/file"), std::string::npos);
}

TEST_F(HoldsTest, SoManyFilesThatSomeMayBeMissedHoldAll) {
  for (int i = 0; i < 1025; ++i) put("f" + std::to_string(i), "");
  EXPECT_NE(find_hold(read(), "db"), nullptr);
}

TEST_F(HoldsTest, AllHoldsEachButItsOwnHoldComesFirst) {
  const Holds holds{{kHoldAll, Hold{{}, "everything"}}, {"db", Hold{{}, "db alone"}}};
  EXPECT_EQ(find_hold(holds, "db")->reason, "db alone");
  EXPECT_EQ(find_hold(holds, "web")->reason, "everything");
  EXPECT_EQ(find_hold({{"db", Hold{}}}, "web"), nullptr);
}

TEST_F(HoldsTest, EverybodyMayReadAHoldWhateverTheUmask) {
  const mode_t before = umask(0077);
  const auto written = write_hold(directory_.path(), "db", {});
  umask(before);
  ASSERT_TRUE(written);
  struct stat status {};
  ASSERT_EQ(stat((directory_ / "db").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(HoldsTest, ANameThatIsNoFileNameIsRefused) {
  for (const char* const name : {"", ".", "..", ".db", "a/b", "/etc/passwd"}) {
    EXPECT_FALSE(write_hold(directory_.path(), name, {})) << name;
    EXPECT_FALSE(remove_hold(directory_.path(), name)) << name;
  }
}

TEST_F(HoldsTest, ReleasingWhatIsNotHeldIsNotFound) {
  ASSERT_TRUE(write_hold(directory_.path(), "db", {}));
  EXPECT_TRUE(remove_hold(directory_.path(), "db"));
  const auto again = remove_hold(directory_.path(), "db");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::not_found);
}

TEST_F(HoldsTest, AHoldReadsAsASentence) {
  EXPECT_EQ(describe({}), "until it is released");
  EXPECT_EQ(describe({kNow, "kernel update"}), "until 2023-11-14 22:13 UTC: kernel update");
}

}  // namespace
}  // namespace storage_probe::service
