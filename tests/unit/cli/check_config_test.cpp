// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/commands.h"
#include "support/temp_dir.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

class CheckConfig : public testing::Test {
 protected:
  int check(const std::string& text, bool print = false) {
    const auto file = directory_.path() / "config.yml";
    EXPECT_TRUE(write_file_atomically(file, text));
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = check_config({file, print});
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  TempDir directory_;
  std::string out_, err_;
};

TEST_F(CheckConfig, AcceptsAGoodFileAndSaysHowMuchIsInIt) {
  EXPECT_EQ(check("targets:\n  - name: db\n    path: /data\n"), kDone) << err_;
  EXPECT_NE(out_.find("valid: 1 targets, 3 probes"), std::string::npos) << out_;
}

TEST_F(CheckConfig, NamesEveryFaultWithItsLine) {
  EXPECT_EQ(check("targets:\n  - name: db\n    path: data\n    writes: perhaps\n"
                  "    budgte: {}\n"),
            kFailed);
  for (const char* place : {"config.yml:3:", "config.yml:4:", "config.yml:5:"}) {
    EXPECT_NE(err_.find(place), std::string::npos) << place << " is not in\n" << err_;
  }
}

TEST_F(CheckConfig, PrintShowsTheDefaultsAndIsItselfAValidFile) {
  ASSERT_EQ(check("targets:\n  - name: db\n    path: /data\n", true), kDone);
  const std::string printed = out_;
  EXPECT_NE(printed.find("duty_cycle"), std::string::npos) << printed;
  EXPECT_EQ(check(printed), kDone) << err_;
}

TEST_F(CheckConfig, AMissingFileIsOneClearError) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(check_config({directory_.path() / "none.yml", false}), kFailed);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("none.yml"), std::string::npos) << text;
  EXPECT_NE(text.find("No such file"), std::string::npos) << text;
}

}  // namespace
}  // namespace storage_probe::cli
