// SPDX-License-Identifier: Apache-2.0
#include "engine/progress_meter.h"

#include <gtest/gtest.h>

#include <vector>

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;

struct ProgressMeterTest : testing::Test {
  std::vector<Progress> told;
  RunContext context{.progress = [this](const Progress& progress) { told.push_back(progress); }};
  const SteadyTime start{std::chrono::hours{1}};
  const Usage limits{std::chrono::seconds{2}, Bytes{}, Ops{1000}};
  ProgressMeter meter{context, limits, start};
};

TEST_F(ProgressMeterTest, SpeaksAtMostEach250Milliseconds) {
  for (int ms = 1; ms <= 1000; ++ms) meter.update(start + milliseconds{ms}, {}, 0);
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[0].elapsed, milliseconds{250});
  EXPECT_EQ(told[0].phase, Phase::measure);
}

TEST_F(ProgressMeterTest, IsAsFarAsTheNearestLimit) {
  meter.update(start + milliseconds{500}, {{}, {}, Ops{100}}, 0);
  meter.update(start + milliseconds{1000}, {{}, {}, Ops{900}}, 0);
  meter.update(start + milliseconds{3000}, {{}, {}, Ops{900}}, 0);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_DOUBLE_EQ(told[0].done, 0.25);
  EXPECT_DOUBLE_EQ(told[1].done, 0.9);
  EXPECT_DOUBLE_EQ(told[2].done, 1.0);
}

TEST_F(ProgressMeterTest, ShowsTheRateSinceTheLastReport) {
  meter.update(start + milliseconds{500}, {}, 100);
  meter.update(start + milliseconds{750}, {}, 400);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_DOUBLE_EQ(told[0].iops, 200);
  EXPECT_DOUBLE_EQ(told[1].iops, 1200);
}

TEST(ProgressMeter, NeedsNoListener) {
  const RunContext nobody;
  ProgressMeter meter(nobody, {}, SteadyTime{});
  meter.update(SteadyTime{} + milliseconds{500}, {}, 1);
}

}  // namespace
}  // namespace storage_probe::engine
