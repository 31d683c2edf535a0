// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <gtest/gtest.h>

#include <array>

namespace storage_probe::cli {
namespace {

TEST(Commands, RunLeavesWithTheCodeOfTheCommandLine) {
  testing::internal::CaptureStderr();
  const std::array arguments{"storage_probe_exporter", "--no-such-flag"};
  EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data()), kUsage);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--no-such-flag"), std::string::npos);
}

TEST(Commands, RunDispatchesToTheCommand) {
  testing::internal::CaptureStderr();
  const std::array arguments{"storage_probe_exporter", "check-config", "/nonexistent/config.yml"};
  EXPECT_EQ(run(static_cast<int>(arguments.size()), arguments.data()), kFailed);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("config.yml"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::cli
