// SPDX-License-Identifier: Apache-2.0
#include "service/brake.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using test::TempDir;

class BrakeTest : public testing::Test {
 protected:
  Brake watch() { return std::move(*Brake::watch({base_ / "hold", base_ / "disabled"})); }
  void touch(const std::string& name) { std::ofstream(base_ / name) << ""; }

  // What is held once something else is.
  static Holds next(Brake& brake) {
    pollfd event{brake.event_fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&event, 1, 60'000), 1) << "nothing has changed";
    return brake.holds();
  }
  static bool is_silent(const Brake& brake) {
    pollfd event{brake.event_fd(), POLLIN, 0};
    return ::poll(&event, 1, 0) == 0;
  }

  TempDir base_;
};

TEST_F(BrakeTest, TheDirectoryIsThereForScriptsToTouchAFileIn) {
  Brake brake = watch();
  EXPECT_TRUE(std::filesystem::is_directory(base_ / "hold"));
  EXPECT_TRUE(brake.holds().empty());
  EXPECT_TRUE(is_silent(brake));
}

TEST_F(BrakeTest, WhatIsHeldBeforehandIsKnownAtOnce) {
  std::filesystem::create_directory(base_ / "hold");
  touch("hold/db");
  EXPECT_TRUE(watch().holds().contains("db"));
}

TEST_F(BrakeTest, ATouchedFileAndItsRemovalAreNoticed) {
  Brake brake = watch();
  touch("hold/db");
  EXPECT_TRUE(next(brake).contains("db"));
  std::filesystem::remove(base_ / "hold" / "db");
  EXPECT_TRUE(next(brake).empty());
}

TEST_F(BrakeTest, ADirectoryThatVanishesReleasesNothing) {
  Brake brake = watch();
  ASSERT_TRUE(write_hold(base_ / "hold", "db", {{}, "failover"}));
  EXPECT_TRUE(next(brake).contains("db"));
  std::filesystem::remove_all(base_ / "hold");
  brake.answer({base_.path(), {{"db", ""}}, {}});  // after the look that this asks for
  while (!*read_answer(base_ / "hold.answer")) std::this_thread::yield();
  EXPECT_EQ(brake.holds().at("db").reason, "failover");
  EXPECT_TRUE(std::filesystem::exists(base_ / "hold" / "db"));
}

TEST_F(BrakeTest, SaysWhatHasBecomeOfTheHolds) {
  const HoldAnswer answer{base_.path(), {{"db", "17"}}, {"web"}};
  Brake brake = watch();
  brake.answer(answer);
  std::optional<HoldAnswer> read;
  while (!(read = *read_answer(base_ / "hold.answer"))) std::this_thread::yield();
  EXPECT_EQ(*read, answer);
}

TEST_F(BrakeTest, TheKillSwitchHoldsEverythingAndIsNamed) {
  Brake brake = watch();
  touch("disabled");
  const Holds holds = next(brake);
  ASSERT_NE(find_hold(holds, "any"), nullptr);
  EXPECT_NE(find_hold(holds, "any")->reason.find((base_ / "disabled").string()), std::string::npos);
}

TEST_F(BrakeTest, WithoutAKillSwitchNothingIsLookedFor) {
  Brake brake = std::move(*Brake::watch({base_ / "hold", {}}));
  EXPECT_TRUE(brake.holds().empty());
}

TEST_F(BrakeTest, ADirectoryThatCannotBeMadeHoldsWhatItSays) {
  touch("hold");
  EXPECT_NE(find_hold(watch().holds(), "any"), nullptr);
}

}  // namespace
}  // namespace storage_probe::service
