// SPDX-License-Identifier: Apache-2.0
#include "service/brake.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <fstream>

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
