// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace storage_probe {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr WallTime kTime{std::chrono::milliseconds{1'700'000'000'007}};

std::string logfmt(std::string_view message, std::initializer_list<LogField> fields = {}) {
  return format_log_line(LogFormat::logfmt, std::nullopt, LogLevel::info, message, fields);
}
std::string json(std::string_view message, std::initializer_list<LogField> fields = {}) {
  return format_log_line(LogFormat::json, std::nullopt, LogLevel::info, message, fields);
}

TEST(LogLine, IsLogfmt) {
  EXPECT_EQ(format_log_line(LogFormat::logfmt, kTime, LogLevel::warn, "target changed",
                            {{"target", "db"}, {"state", "no space"}}),
            "ts=2023-11-14T22:13:20.007Z level=warn msg=\"target changed\" target=db "
            "state=\"no space\"");
}

TEST(LogLine, IsJson) {
  EXPECT_EQ(format_log_line(LogFormat::json, kTime, LogLevel::error, "broken", {{"code", "5"}}),
            "{\"ts\":\"2023-11-14T22:13:20.007Z\",\"level\":\"error\",\"msg\":\"broken\","
            "\"code\":\"5\"}");
}

TEST(LogLine, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(logfmt("a-b/c:1"), "level=info msg=a-b/c:1");
  EXPECT_EQ(logfmt("größe"), "level=info msg=größe");
  EXPECT_EQ(logfmt(""), "level=info msg=\"\"");
  EXPECT_EQ(logfmt("a=b"), "level=info msg=\"a=b\"");
  EXPECT_EQ(logfmt(R"(a"b)"), R"(level=info msg="a\"b")");
  EXPECT_EQ(logfmt(R"(a\b)"), R"(level=info msg="a\\b")");
}

TEST(LogLine, EscapesWhatATerminalMayObey) {
  EXPECT_EQ(logfmt("a\nlevel=error\r\t"), R"(level=info msg="a\nlevel=error\r\t")");
  EXPECT_EQ(logfmt("\x1b[2J\x7f"), R"(level=info msg="\u001b[2J\u007f")");
  EXPECT_EQ(logfmt("\xc2\x9b"), R"(level=info msg="\u009b")");
  EXPECT_EQ(json(std::string_view("a\0b", 3)), R"({"level":"info","msg":"a\u0000b"})");
}

TEST(LogLine, ReplacesWhatIsNotUtf8) {
  // A lone continuation, an overlong slash, a surrogate, over U+10FFFF, and a cut sequence.
  for (const std::string_view bad :
       {"\x80", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    const std::string line = json(bad);
    EXPECT_NE(line.find("\\ufffd"), std::string::npos) << line;
    for (const char c : line) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  }
  EXPECT_EQ(json("€\xf0\x9f\x98\x80"), "{\"level\":\"info\",\"msg\":\"€\xf0\x9f\x98\x80\"}");
}

TEST(LogLine, ShortensAValueWithoutEnd) {
  const std::string line = json("m", {{"detail", std::string(1U << 20U, 'x')}});
  EXPECT_LT(line.size(), 5000U);
  EXPECT_TRUE(line.ends_with("x...\"}"));
}

TEST(LogLine, KeepsAKeyOneWord) {
  EXPECT_EQ(logfmt("m", {{"a b=\n\"", "1"}}), "level=info msg=m a_b___=1");
}

TEST(LogWords, AreParsedStrictly) {
  EXPECT_EQ(*parse_log_level("warn"), LogLevel::warn);
  EXPECT_EQ(*parse_log_format("json"), LogFormat::json);
  EXPECT_EQ(parse_log_level("WARN").error().message,
            "\"WARN\" is no log level: use debug, info, warn or error");
  EXPECT_EQ(parse_log_format("text").error().message,
            "\"text\" is no log format: use logfmt or json");
}

// Puts a pipe in the place of stderr for the life of the object.
class StderrPipe {
 public:
  StderrPipe() : saved_(::dup(STDERR_FILENO)) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    read_ = UniqueFd(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
    UniqueFd(ends[1]).reset();
  }
  ~StderrPipe() { restore(); }
  StderrPipe(const StderrPipe&) = delete;
  StderrPipe& operator=(const StderrPipe&) = delete;

  void restore() {
    if (saved_) ::dup2(saved_.get(), STDERR_FILENO);
    saved_.reset();
  }
  void close_reader() { read_.reset(); }

  // What has been written, once nothing came for 50 ms or the writers are gone.
  std::string drain() {
    std::string text;
    std::array<char, 65536> block{};
    pollfd ready{read_.get(), POLLIN, 0};
    while (::poll(&ready, 1, 50) > 0) {
      const ssize_t got = ::read(read_.get(), block.data(), block.size());
      if (got <= 0) break;
      text.append(block.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  UniqueFd saved_;
  UniqueFd read_;
};

TEST(Logger, WritesWhatIsQueuedBeforeItGoes) {
  StderrPipe pipe;
  {
    Logger log(LogLevel::info, LogFormat::logfmt);
    log.debug("not this");
    log.info("one", {{"n", "1"}});
    log.error("two");
  }
  const std::string text = pipe.drain();
  EXPECT_NE(text.find("Z level=info msg=one n=1\nts="), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("Z level=error msg=two\n")) << text;
  EXPECT_EQ(text.find("not this"), std::string::npos);
}

TEST(Logger, NeverBlocksACallerAndCountsWhatItDrops) {
  StderrPipe pipe;
  Clock::time_point end_of_calls;
  {
    Logger log(LogLevel::info, LogFormat::logfmt);
    // 1 MB, of which the pipe takes 64 KiB: a caller that waited would never come back.
    for (int i = 0; i < 2500; ++i) log.info("x", {{"pad", std::string(400, 'p')}});
    EXPECT_GT(log.dropped(), 1000U);
    log.info("the last line");
    end_of_calls = Clock::now();
  }
  EXPECT_LT(Clock::now() - end_of_calls, 2s);  // the destructor waits a second at most
  // Reading again frees the thread that the destructor left behind; the newest line was kept.
  EXPECT_NE(pipe.drain().find("the last line"), std::string::npos);
}

TEST(Logger, SurvivesAReaderThatGoesAway) {
  StderrPipe pipe;
  pipe.close_reader();
  Logger log(LogLevel::info, LogFormat::logfmt);
  for (int i = 0; i < 10; ++i) log.info("into the void");
}

TEST(Logger, SpeaksThePrioritiesOfTheJournal) {
  StderrPipe pipe;
  struct stat status {};
  ASSERT_EQ(::fstat(STDERR_FILENO, &status), 0);
  const std::string stream = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
  ::setenv("JOURNAL_STREAM", stream.c_str(), 1);
  {
    Logger log(LogLevel::debug, LogFormat::logfmt);
    ::unsetenv("JOURNAL_STREAM");
    log.debug("d");
    log.info("i");
    log.warn("w");
    log.error("e");
  }
  EXPECT_EQ(
      pipe.drain(),
      "<7>level=debug msg=d\n<6>level=info msg=i\n<4>level=warn msg=w\n<3>level=error msg=e\n");
}

TEST(Logger, IsNotFooledByAnInheritedJournalVariable) {
  StderrPipe pipe;
  ::setenv("JOURNAL_STREAM", "8:12345", 1);
  {
    Logger log(LogLevel::info, LogFormat::logfmt);
    ::unsetenv("JOURNAL_STREAM");
    log.info("i");
  }
  EXPECT_TRUE(pipe.drain().starts_with("ts="));
}

TEST(Logger, KeepsLinesOfManyThreadsWhole) {
  StderrPipe pipe;
  {
    Logger log(LogLevel::info, LogFormat::logfmt);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) log.info("line", {{"pad", std::string(100, 'y')}});
      });
  }
  const std::string text = pipe.drain();
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_TRUE(text.substr(at, end - at).ends_with("pad=" + std::string(100, 'y')));
    at = end + 1;
  }
  EXPECT_EQ(lines, 200U);
}

}  // namespace
}  // namespace storage_probe
