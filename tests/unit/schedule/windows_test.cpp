// SPDX-License-Identifier: Apache-2.0
#include "schedule/windows.h"

#include <gtest/gtest.h>

namespace storage_probe::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

Windows quiet(std::vector<DailyWindow> windows) { return {{}, std::move(windows)}; }
Windows capacity(std::vector<DailyWindow> windows) { return {std::move(windows), {}}; }

bool is_closed(const Windows& windows, minutes time) {
  return closed_to_all(windows, time).has_value();
}

TEST(ScheduleWindows, WithoutAnyNothingIsEverClosed) {
  for (minutes time{0}; time < hours(24); time += minutes(30)) {
    EXPECT_FALSE(closed_to_all({}, time));
    EXPECT_FALSE(closed_to_capacity({}, time));
  }
}

TEST(ScheduleWindows, AWindowHasItsFirstMinuteAndNotItsLast) {
  const Windows windows = quiet({{hours(8), hours(20)}});
  EXPECT_FALSE(is_closed(windows, hours(8) - minutes(1)));
  EXPECT_TRUE(is_closed(windows, hours(8)));
  EXPECT_TRUE(is_closed(windows, hours(20) - minutes(1)));
  EXPECT_FALSE(is_closed(windows, hours(20)));
}

TEST(ScheduleWindows, AWindowMayPassMidnight) {
  const Windows windows = quiet({{hours(22), hours(2)}});
  for (const auto time : {hours(22), hours(23), hours(0), hours(1)})
    EXPECT_TRUE(is_closed(windows, time)) << time.count();
  EXPECT_FALSE(is_closed(windows, hours(2)));
  EXPECT_FALSE(is_closed(windows, hours(21)));
}

TEST(ScheduleWindows, SaysWhyWhenItOpensAndForHowLong) {
  const auto closed = closed_to_all(quiet({{hours(22), hours(2)}}), hours(23));
  EXPECT_EQ(closed, (Closed{"windows.quiet has 22:00-02:00", hours(3), hours(20)}));
}

TEST(ScheduleWindows, WindowsThatTouchAreOne) {
  const auto closed =
      closed_to_all(quiet({{hours(1), hours(2)}, {hours(2), hours(4)}}), hours(1) + minutes(30));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->opens_in, minutes(150));
}

TEST(ScheduleWindows, CapacityProbesWaitForTheirWindow) {
  const auto closed = closed_to_capacity(capacity({{hours(1), hours(5)}}), hours(6));
  EXPECT_EQ(closed, (Closed{"windows.capacity has only 01:00-05:00", hours(19), hours(4)}));
  EXPECT_FALSE(closed_to_capacity(capacity({{hours(1), hours(5)}}), hours(1)));
  EXPECT_FALSE(closed_to_all(capacity({{hours(1), hours(5)}}), hours(6)));
}

TEST(ScheduleWindows, AQuietTimeCutsACapacityWindow) {
  const Windows windows{{{hours(1), hours(5)}}, {{hours(0), hours(3)}}};
  const auto closed = closed_to_capacity(windows, hours(2));
  EXPECT_EQ(closed, (Closed{"windows.quiet has 00:00-03:00", hours(1), hours(2)}));
}

TEST(ScheduleWindows, WhatNeverOpensIsClosedForADay) {
  const auto closed =
      closed_to_all(quiet({{hours(0), hours(12)}, {hours(12), hours(0)}}), hours(5));
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->opens_in, hours(24));
  EXPECT_EQ(closed->stays_open, minutes(0));
}

}  // namespace
}  // namespace storage_probe::schedule
