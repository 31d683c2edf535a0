// SPDX-License-Identifier: Apache-2.0
#include "model/daily_window.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

TEST(DailyWindow, ReadsAsItIsWritten) {
  EXPECT_EQ(to_text(DailyWindow{hours(22), hours(5)}), "22:00-05:00");
  EXPECT_EQ(to_text(DailyWindow{minutes(0), hours(23) + minutes(59)}), "00:00-23:59");
}

}  // namespace
}  // namespace storage_probe
