// SPDX-License-Identifier: Apache-2.0
// The probe command with a real child on a real file: this program is its own worker.
#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/commands.h"
#include "support/temp_dir.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

class Probe : public testing::Test {
 protected:
  ProbeOptions options_for(const std::string& subject) {
    ProbeOptions options;
    options.common.storage_path = storage_.path();
    options.common.host_id = "a1";
    options.common.procfs = "/proc";
    options.common.sysfs = "/sys";
    options.subject = subject;
    options.probe = "latency";
    return options;
  }

  int run(const ProbeOptions& options) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = probe(options);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }

  // A config file with one target on `path` and one short probe.
  std::string config_for(const std::filesystem::path& path) {
    const auto file = storage_ / "config.yml";
    EXPECT_TRUE(write_file_atomically(
        file,
        "probes:\n  short: {kind: capacity, pattern: random, queue_depth: 4, "
        "limits: {time: 5s, ios: 200}}\n"
        "targets:\n  - name: db\n    path: " +
            path.string() + "\n    file: {size: 16MiB}\n    probes: [{use: short, every: 1h}]\n"));
    return file;
  }

  TempDir storage_, data_;
  std::string out_, err_;
};

TEST_F(Probe, AnUnknownProbeNameListsThePresets) {
  ProbeOptions options = options_for(data_.path());
  options.probe = "randomread";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(err_.find("randread"), std::string::npos) << err_;
}

TEST_F(Probe, ANameWithoutAConfigSaysHowToMeanAPath) {
  EXPECT_EQ(run(options_for("db")), kUsage);
  EXPECT_NE(err_.find("--config.file"), std::string::npos) << err_;
  EXPECT_NE(err_.find("./db"), std::string::npos) << err_;
}

TEST_F(Probe, AWriteProbeNeedsTheWord) {
  ProbeOptions options = options_for(data_.path());
  options.probe = "randwrite";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(err_.find("--writes"), std::string::npos) << err_;
}

TEST_F(Probe, KeepingTheFileIsForPathsOnly) {
  ProbeOptions options = options_for("db");
  options.common.config_file = config_for(data_.path());
  options.keep_file = true;
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(err_.find("--keep-file is for a path"), std::string::npos) << err_;
}

TEST_F(Probe, AMissingPathFailsWithItsStateAsJson) {
  ProbeOptions options = options_for(data_ / "none");
  options.output = OutputFormat::json;
  EXPECT_EQ(run(options), kFailed);
  EXPECT_NE(out_.find("\"outcome\":\"failed\""), std::string::npos) << out_;
  EXPECT_NE(out_.find("not_mounted"), std::string::npos) << out_;
}

TEST_F(Probe, ATargetThatIsNoMountPointIsLeftAlone) {
  ProbeOptions options = options_for("db");
  options.common.config_file = config_for(data_.path());
  options.probe = "short";
  EXPECT_EQ(run(options), kFailed);
  if (err_.find("namespace_mismatch") != std::string::npos) GTEST_SKIP() << err_;
  EXPECT_NE(err_.find("not_mounted"), std::string::npos) << err_;
  EXPECT_TRUE(std::filesystem::is_empty(data_.path()));
}

TEST_F(Probe, AnUnknownTargetIsNamed) {
  ProbeOptions options = options_for("dbx");
  options.common.config_file = config_for(data_.path());
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(err_.find("no target \"dbx\""), std::string::npos) << err_;
}

}  // namespace
}  // namespace storage_probe::cli
