// SPDX-License-Identifier: Apache-2.0
#include "service/run_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

ProbeReport not_ready(TargetState state, const std::string& message) {
  ProbeReport report;
  report.target = "db";
  report.spec.name = "randread";
  report.state = state;
  report.failure = Failure{std::string(to_text(state)), message};
  return report;
}

// What the log says while `act` runs with it, at debug level.
template <typename Act>
std::string logged(Act act) {
  testing::internal::CaptureStderr();
  {
    Logger logger(LogLevel::debug, LogFormat::logfmt);
    RunLog log(logger);
    act(log);
  }
  return testing::internal::GetCapturedStderr();
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(RunLog, AStateChangeIsOneWarningWithItsReason) {
  const std::string text = logged([](RunLog& log) {
    for (int i = 0; i < 5; ++i) {
      log.finished(not_ready(TargetState::not_mounted, "/data is on /"), SteadyTime(minutes(i)));
    }
  });
  EXPECT_EQ(lines(text), 1U) << text;
  EXPECT_NE(text.find("level=warn"), std::string::npos) << text;
  EXPECT_NE(text.find("state=not_mounted"), std::string::npos) << text;
  EXPECT_NE(text.find("reason=\"/data is on /\""), std::string::npos) << text;
}

TEST(RunLog, AHoldIsAWarningItsReleaseIsNot) {
  const Holds held{{"db", Hold{{}, "failover"}}};
  const std::string text = logged([&](RunLog& log) {
    log.held({}, held);
    log.held(held, held);
    log.held(held, {});
  });
  EXPECT_EQ(lines(text), 2U) << text;
  EXPECT_NE(text.find("level=warn"), std::string::npos) << text;
  EXPECT_NE(text.find("until it is released: failover"), std::string::npos) << text;
  EXPECT_NE(text.find("level=info"), std::string::npos) << text;
}

TEST(RunLog, AHoldOfNoTargetIsSaidOnce) {
  const std::string text = logged([&](RunLog& log) {
    log.held_unknown("bd", SteadyTime(minutes(0)));
    log.held_unknown("bd", SteadyTime(minutes(1)));
  });
  EXPECT_EQ(lines(text), 1U) << text;
  EXPECT_NE(text.find("target=bd"), std::string::npos) << text;
}

TEST(RunLog, AFlappingTargetIsSaidOnceAnHour) {
  const std::string text = logged([](RunLog& log) {
    ProbeReport ready;
    ready.target = "db";
    ready.state = TargetState::ready;
    ready.outcome = Outcome::ok;
    for (int minute = 0; minute < 120; minute += 10) {
      log.finished(not_ready(TargetState::no_space, "left " + std::to_string(minute)),
                   SteadyTime(hours(1) + minutes(minute)));
      log.finished(ready, SteadyTime(hours(1) + minutes(minute + 5)));
    }
  });
  std::size_t warnings = 0;
  for (std::size_t at = text.find("level=warn"); at != std::string::npos;
       at = text.find("level=warn", at + 1)) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 2U) << text;
}

TEST(RunLog, AnotherReasonForTheSameStateIsNews) {
  const std::string text = logged([](RunLog& log) {
    log.finished(not_ready(TargetState::file_conflict, "x.dat is a symbolic link"),
                 SteadyTime(hours(1)));
    log.finished(not_ready(TargetState::file_conflict, "x.dat is a FIFO"), SteadyTime(hours(1)));
  });
  EXPECT_EQ(lines(text), 2U) << text;
}

TEST(RunLog, AFailedProbeIsDataNotAnAlarm) {
  const std::string text = logged([](RunLog& log) {
    ProbeReport report;
    report.target = "db";
    report.spec.name = "randread";
    report.state = TargetState::ready;
    report.outcome = Outcome::failed;
    report.failure = Failure{"io_error", "12 of 100 I/Os failed: EIO"};
    log.finished(report, SteadyTime(hours(1)));
  });
  EXPECT_NE(text.find("level=info msg=\"probe did not finish\""), std::string::npos) << text;
}

TEST(RunLog, SaysWhatSpeaksAgainstTheFigures) {
  const auto finish = [](std::vector<Doubt> doubts) {
    return logged([&](RunLog& log) {
      ProbeReport report;
      report.target = "db";
      report.state = TargetState::ready;
      report.outcome = Outcome::ok;
      report.doubts = std::move(doubts);
      log.finished(report, SteadyTime(hours(1)));
    });
  };
  const std::string text = finish({Doubt::cache_suspect, Doubt::unsteady});
  EXPECT_NE(text.find("doubts=\"cache_suspect, unsteady\""), std::string::npos) << text;
  EXPECT_EQ(finish({}).find("doubts"), std::string::npos);
}

TEST(RunLog, TheEngineFallbackIsSaidOnce) {
  const std::string text = logged([](RunLog& log) {
    ProbeReport report;
    report.target = "db";
    report.state = TargetState::ready;
    report.outcome = Outcome::ok;
    report.engine_note = "io_uring_setup: EPERM";
    log.finished(report, SteadyTime(hours(1)));
    log.finished(report, SteadyTime(hours(2)));
  });
  const auto first = text.find("cause=\"io_uring_setup: EPERM\"");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("cause=", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace storage_probe::service
