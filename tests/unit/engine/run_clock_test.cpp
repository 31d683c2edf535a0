// SPDX-License-Identifier: Apache-2.0
#include "engine/run_clock.h"

#include <gtest/gtest.h>

#include <chrono>

namespace storage_probe::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct RunClockTest : testing::Test {
  SteadyTime time{hours{1000}};
  Duration asleep{};
  RunContext context{.clock = [this] { return time; }};
  const SteadyTime start = time;
};

TEST_F(RunClockTest, TellsTheTime) {
  RunClock clock(context);
  EXPECT_EQ(clock.now(), start);
  time += milliseconds{250};
  EXPECT_EQ(clock.read(), start + milliseconds{250});
  EXPECT_EQ(clock.now(), start + milliseconds{250});
  EXPECT_FALSE(clock.is_suspect());
}

TEST_F(RunClockTest, GoesOnWhereTheMachinesClockGoesBack) {
  RunClock clock(context);
  time += milliseconds{100};
  clock.read();
  time -= hours{1};
  EXPECT_EQ(clock.read(), start + milliseconds{100});
  time += milliseconds{100};
  EXPECT_EQ(clock.read(), start + milliseconds{200});
  EXPECT_TRUE(clock.is_suspect());
}

TEST_F(RunClockTest, SuspectsALeap) {
  RunClock clock(context);
  time += seconds{6};
  clock.read();
  EXPECT_TRUE(clock.is_suspect());
}

TEST_F(RunClockTest, SuspectsThatTheMachineSlept) {
  context.boot_clock = [this] { return time + asleep; };
  RunClock clock(context);
  time += seconds{1};
  clock.read();
  EXPECT_FALSE(clock.is_suspect());
  asleep = seconds{1};
  EXPECT_TRUE(clock.is_suspect());
}

TEST(RunClock, TheMachinesTwoClocksAgree) {
  const RunContext context{.boot_clock = boot_time};
  RunClock clock(context);
  clock.read();
  EXPECT_FALSE(clock.is_suspect());
  EXPECT_GE(boot_time().time_since_epoch(), clock.now().time_since_epoch());
}

}  // namespace
}  // namespace storage_probe::engine
