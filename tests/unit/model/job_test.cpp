// SPDX-License-Identifier: Apache-2.0
#include "model/job.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

TEST(Phase, HasOneWordEach) {
  EXPECT_EQ(to_text(Phase::open), "open");
  EXPECT_EQ(to_text(Phase::preflight), "preflight");
  EXPECT_EQ(to_text(Phase::lease), "lease");
  EXPECT_EQ(to_text(Phase::layout), "layout");
  EXPECT_EQ(to_text(Phase::measure), "measure");
}

}  // namespace
}  // namespace storage_probe
