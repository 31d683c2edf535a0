// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/commands.h"
#include "support/temp_dir.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

class Plan : public testing::Test {
 protected:
  int run(const std::string& text, OutputFormat output = OutputFormat::table) {
    PlanOptions options;
    options.common.config_file = directory_ / "config.yml";
    options.output = output;
    EXPECT_TRUE(write_file_atomically(options.common.config_file, text));
    return run(options);
  }
  int run(const PlanOptions& options) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = plan(options);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  TempDir directory_;
  std::string out_, err_;
};

TEST_F(Plan, NamesEachProbeOfEachTarget) {
  EXPECT_EQ(run("targets:\n  - {name: db, path: /data}\n"), kDone) << err_;
  for (const char* const word : {"db", "latency", "randread", "seqread"})
    EXPECT_NE(out_.find(word), std::string::npos) << word << " is not in\n" << out_;
}

TEST_F(Plan, PrintsOneObjectForScripts) {
  EXPECT_EQ(run("targets:\n  - {name: db, path: /data}\n", OutputFormat::json), kDone) << err_;
  EXPECT_EQ(out_.front(), '{');
  EXPECT_EQ(out_.find('\n'), out_.size() - 1);
}

TEST_F(Plan, KnowsWhatFollowsFromTypeAndSize) {
  EXPECT_EQ(run("targets:\n  - {name: db, path: /data, volume: {type: aws.gp2, size: 100GiB}}\n"),
            kDone);
  EXPECT_NE(out_.find("aws.gp2 bursts on credits"), std::string::npos) << out_;
  EXPECT_EQ(out_.find("n/a"), std::string::npos) << out_;
}

TEST_F(Plan, ReadsPromisesOfVolumesThatTheConfigNames) {
  const std::string config =
      "promises: {files: [p.json]}\n"
      "targets:\n  - {name: db, path: /data, expect: {volume_id: vol-1}}\n";
  ASSERT_TRUE(write_file_atomically(directory_ / "p.json",
                                    R"({"vol-1": {"type": "aws.gp2", "size": "100GiB"}})"));
  EXPECT_EQ(run(config), kDone) << err_;
  EXPECT_NE(out_.find("aws.gp2 bursts on credits"), std::string::npos) << out_;
  ASSERT_TRUE(write_file_atomically(directory_ / "p.json", "[]"));
  EXPECT_EQ(run(config), kUsage);
  EXPECT_NE(err_.find("p.json: must be an object"), std::string::npos) << err_;
}

TEST_F(Plan, ABadConfigIsAUsageErrorWithItsPlace) {
  EXPECT_EQ(run("targets: 5\n"), kUsage);
  EXPECT_NE(err_.find("config.yml:1:"), std::string::npos) << err_;
}

TEST_F(Plan, WithoutAConfigItIsAboutTheEmbeddedDefault) {
  PlanOptions options;
  options.common.storage_path = directory_.path();
  EXPECT_EQ(run(options), kDone);
  EXPECT_NE(out_.find("default"), std::string::npos) << out_;
}

}  // namespace
}  // namespace storage_probe::cli
