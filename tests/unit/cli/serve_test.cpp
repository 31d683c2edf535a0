// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "service/service.h"
#include "support/temp_dir.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

class Serve : public testing::Test {
 protected:
  ServeOptions options() {
    ServeOptions serve;
    serve.common.storage_path = storage_ / "state";
    serve.common.runtime_path = storage_ / "run";
    serve.common.host_id = "a1";
    serve.common.procfs = "/proc";
    serve.common.sysfs = "/sys";
    serve.listen_addresses = {"127.0.0.1:0"};
    serve.telemetry_path = "/metrics";
    return serve;
  }

  int run(const ServeOptions& options) {
    testing::internal::CaptureStderr();
    const int code = serve(options);
    log_ = testing::internal::GetCapturedStderr();
    return code;
  }

  TempDir storage_;
  std::string log_;
};

TEST_F(Serve, AMissingConfigFileIsAUsageError) {
  ServeOptions options = this->options();
  options.common.config_file = storage_ / "none.yml";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(log_.find("none.yml"), std::string::npos) << log_;
}

TEST_F(Serve, ABadConfigFileIsAUsageErrorWithEachPlace) {
  ServeOptions options = this->options();
  options.common.config_file = storage_ / "bad.yml";
  ASSERT_TRUE(write_file_atomically(options.common.config_file, "targets: 5\n"));
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(log_.find("bad.yml:1:"), std::string::npos) << log_;
}

TEST_F(Serve, AStateDirectoryThatCannotBeMadeNamesTheFlag) {
  ServeOptions options = this->options();
  ASSERT_TRUE(write_file_atomically(storage_ / "file", "x"));
  options.common.storage_path = storage_ / "file" / "state";
  EXPECT_EQ(run(options), kFailed);
  EXPECT_NE(log_.find("--storage.path"), std::string::npos) << log_;
}

TEST_F(Serve, ASecondDaemonOnTheStateDirectoryIsRefused) {
  ServeOptions options = this->options();
  const auto first = worker::lock_target(options.common.storage_path, "daemon");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(run(options), kFailed);
  EXPECT_NE(log_.find("another exporter"), std::string::npos) << log_;
  EXPECT_NE(log_.find("--storage.path"), std::string::npos) << log_;
}

TEST_F(Serve, ABadHostIdNamesTheFlag) {
  ServeOptions options = this->options();
  options.common.host_id = "../../etc";
  EXPECT_EQ(run(options), kUsage);
  EXPECT_NE(log_.find("--host.id"), std::string::npos) << log_;
}

TEST_F(Serve, AConfigWithoutTargetsServesAndSaysSo) {
  service::prepare_signals();
  ServeOptions options = this->options();
  options.common.config_file = storage_ / "empty.yml";
  ASSERT_TRUE(write_file_atomically(options.common.config_file, "targets: []\n"));
  kill(getpid(), SIGTERM);  // blocked: waits for the loop
  EXPECT_EQ(run(options), kDone) << log_;
  EXPECT_NE(log_.find("no targets"), std::string::npos) << log_;
}

}  // namespace
}  // namespace storage_probe::cli
