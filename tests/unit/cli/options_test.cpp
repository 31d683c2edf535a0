// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <gtest/gtest.h>

#include <vector>

namespace storage_probe::cli {
namespace {

Parsed parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "storage_probe_exporter");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

// The exit code and what stderr says, for a command line that must be refused.
std::pair<int, std::string> refuse(std::vector<const char*> arguments) {
  testing::internal::CaptureStderr();
  const Parsed parsed = parse(std::move(arguments));
  const std::string text = testing::internal::GetCapturedStderr();
  const auto* leave = std::get_if<Leave>(&parsed);
  return {leave == nullptr ? -1 : leave->code, text};
}

TEST(Options, WithoutArgumentsItServesOnItsOwnPort) {
  const auto options = std::get<ServeOptions>(parse({}));
  EXPECT_EQ(options.listen_addresses, std::vector<std::string>{":10067"});
  EXPECT_EQ(options.telemetry_path, "/metrics");
  EXPECT_TRUE(options.common.config_file.empty());
  EXPECT_EQ(options.common.storage_path, "/var/lib/storage-probe-exporter");
}

TEST(Options, FlagsAreSpelledAsPrometheusDoes) {
  const auto options = std::get<ServeOptions>(
      parse({"--config.file=/etc/x.yml", "--web.listen-address", "127.0.0.1:1", "--storage.path=/s",
             "--log.level=debug", "--log.format=json", "--host.id=ab", "serve"}));
  EXPECT_EQ(options.common.config_file, "/etc/x.yml");
  EXPECT_EQ(options.listen_addresses, std::vector<std::string>{"127.0.0.1:1"});
  EXPECT_EQ(options.common.log_level, LogLevel::debug);
  EXPECT_EQ(options.common.log_format, LogFormat::json);
  EXPECT_EQ(options.common.host_id, "ab");
}

TEST(Options, ProbeTakesASubjectAndCommonFlagsOnEitherSide) {
  const auto options =
      std::get<ProbeOptions>(parse({"--config.file=a.yml", "probe", "/tmp", "--probe", "latency",
                                    "--output", "json", "--storage.path=/s"}));
  EXPECT_EQ(options.subject, "/tmp");
  EXPECT_EQ(options.probe, "latency");
  EXPECT_EQ(options.output, OutputFormat::json);
  EXPECT_EQ(options.common.config_file, "a.yml");
  EXPECT_EQ(options.common.storage_path, "/s");
}

TEST(Options, UsageErrorsLeaveWithTwoAndNameTheFault) {
  const auto [code, text] = refuse({"--web.listen-adress=:1"});
  EXPECT_EQ(code, kUsage);
  EXPECT_NE(text.find("--web.listen-adress"), std::string::npos) << text;
  EXPECT_NE(text.find("--help"), std::string::npos) << text;
  EXPECT_EQ(refuse({"probe"}).first, kUsage);
  EXPECT_EQ(refuse({"frobnicate"}).first, kUsage);
  EXPECT_EQ(refuse({"--log.level=loud"}).first, kUsage);
  EXPECT_EQ(refuse({"--web.telemetry-path=metrics"}).first, kUsage);
  EXPECT_EQ(refuse({"probe", "/tmp", "--output=xml"}).first, kUsage);
}

TEST(Options, AHoldHasATargetATimeAndAReason) {
  const auto hold = std::get<HoldOptions>(
      parse({"hold", "db", "--for", "4h", "--reason", "kernel update", "--storage.path=/s"}));
  EXPECT_EQ(hold.target, "db");
  EXPECT_EQ(hold.time, std::chrono::hours(4));
  EXPECT_EQ(hold.reason, "kernel update");
  EXPECT_EQ(hold.common.storage_path, "/s");
  EXPECT_EQ(std::get<ReleaseOptions>(parse({"release", "all"})).target, "all");
  EXPECT_FALSE(std::get<HoldOptions>(parse({"hold", "db"})).time);
}

TEST(Options, AHoldOfNoTimeOrForEverIsRefused) {
  EXPECT_EQ(refuse({"hold", "db", "--for=0s"}).first, kUsage);
  EXPECT_EQ(refuse({"hold", "db", "--for=4"}).first, kUsage);
  EXPECT_EQ(refuse({"hold", "db", "--for=366d"}).first, kUsage);
  EXPECT_EQ(refuse({"hold"}).first, kUsage);
  EXPECT_EQ(refuse({"release"}).first, kUsage);
}

TEST(Options, TheRuntimeDirectoryIsThatOfThePackageOrBesideTheState) {
  const auto runtime = [](std::vector<const char*> arguments) {
    return std::get<ServeOptions>(parse(std::move(arguments))).common.runtime_path;
  };
  EXPECT_EQ(runtime({}), "/run/storage-probe-exporter");
  EXPECT_EQ(runtime({"--storage.path=/s"}), "/s");
  EXPECT_EQ(runtime({"--storage.path=/s", "--runtime.path=/r"}), "/r");
}

TEST(Options, ModeIsProbeOrObserve) {
  EXPECT_EQ(std::get<ServeOptions>(parse({})).mode, service::Mode::probe);
  EXPECT_EQ(std::get<ServeOptions>(parse({"--mode=observe"})).mode, service::Mode::observe);
  EXPECT_EQ(refuse({"--mode=look"}).first, kUsage);
}

TEST(Options, PlanTakesTheCommonFlagsAndAFormat) {
  const auto plan = std::get<PlanOptions>(parse({"plan", "--config.file=a.yml", "--output=json"}));
  EXPECT_EQ(plan.common.config_file, "a.yml");
  EXPECT_EQ(plan.output, OutputFormat::json);
}

TEST(Options, AllProbesAndOneExcludeEachOther) {
  const auto [code, text] = refuse({"probe", "/tmp", "--all", "--probe=latency"});
  EXPECT_EQ(code, kUsage);
  EXPECT_NE(text.find("leave one of them out"), std::string::npos) << text;
  EXPECT_TRUE(std::get<ProbeOptions>(parse({"probe", "/tmp", "--all"})).all);
}

TEST(Options, CleanupKnowsItsTargetsAndItsFile) {
  const auto all = std::get<CleanupOptions>(parse({"cleanup", "--config.file=a.yml"}));
  EXPECT_EQ(all.common.config_file, "a.yml");
  EXPECT_TRUE(all.force.empty());
  EXPECT_EQ(std::get<CleanupOptions>(parse({"cleanup", "--force", "/d/x.dat"})).force, "/d/x.dat");
  EXPECT_EQ(refuse({"cleanup", "--force"}).first, kUsage);
}

TEST(Options, HelpAndVersionLeaveWithZero) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(std::get<Leave>(parse({"--version"})).code, kDone);
  EXPECT_EQ(std::get<Leave>(parse({"--help"})).code, kDone);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("storage_probe_exporter, version "), std::string::npos) << text;
  EXPECT_NE(text.find("check-config"), std::string::npos) << text;
  EXPECT_EQ(text.find("worker"), std::string::npos) << "the worker is not for people";
}

}  // namespace
}  // namespace storage_probe::cli
