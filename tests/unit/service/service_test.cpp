// SPDX-License-Identifier: Apache-2.0
#include "service/service.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "http/server.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using test::TempDir;

Options options_for(const TempDir& storage, std::vector<std::string> addresses) {
  return {{},         {},      storage.path(), "00000000000000a1", std::move(addresses),
          "/metrics", "/proc", "/sys",         storage / "hold"};
}

// The exit code of a run, and what it logged.
std::pair<int, std::string> run_logged(Options options) {
  testing::internal::CaptureStderr();
  int code = -1;
  {
    Logger logger(LogLevel::info, LogFormat::logfmt);
    code = run(std::move(options), logger);
  }
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(Service, SigtermEndsItWithZero) {
  prepare_signals();
  const TempDir storage;
  kill(getpid(), SIGTERM);  // blocked: waits for the loop
  const auto [code, log] = run_logged(options_for(storage, {"127.0.0.1:0"}));
  EXPECT_EQ(code, 0) << log;
  EXPECT_NE(log.find("msg=listening"), std::string::npos) << log;
}

TEST(Service, ABusyPortIsOneLineAndExitCodeOne) {
  prepare_signals();
  const TempDir storage;
  auto other = http::Server::start({{"127.0.0.1", 0}}, {});
  ASSERT_TRUE(other) << other.error().message;
  const std::string address = "127.0.0.1:" + std::to_string((*other)->port());
  const auto [code, log] = run_logged(options_for(storage, {address}));
  EXPECT_EQ(code, 1);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_NE(log.find("Address already in use"), std::string::npos) << log;
  EXPECT_NE(log.find(address), std::string::npos) << log;
}

TEST(Service, ABadAddressNamesTheFlag) {
  prepare_signals();
  const TempDir storage;
  const auto [code, log] = run_logged(options_for(storage, {"localhost:http:1"}));
  EXPECT_EQ(code, 1);
  EXPECT_NE(log.find("--web.listen-address"), std::string::npos) << log;
}

}  // namespace
}  // namespace storage_probe::service
