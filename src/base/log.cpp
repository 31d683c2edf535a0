// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <pthread.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <future>
#include <thread>
#include <utility>

namespace storage_probe {
namespace {

constexpr std::size_t kQueuedLines = 1024;
constexpr std::size_t kMaxValue = 4096;  // of one message or value, before escaping
constexpr auto kFlushTime = std::chrono::seconds(1);

std::string_view to_text(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      return "error";
  }
  return "unknown";
}

// journald reads a line's priority from this prefix (sd-daemon(3)).
std::string_view journal_prefix(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "<7>";
    case LogLevel::info:
      return "<6>";
    case LogLevel::warn:
      return "<4>";
    case LogLevel::error:
      return "<3>";
  }
  return "";
}

// Whether standard error is the stream that systemd connected to the journal: a variable that was
// merely inherited names another device and inode.
bool stderr_is_journal() {
  const char* const stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &status) != 0) return false;
  return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

// Whether the first two bytes of a sequence begin no overlong form, no surrogate and no value over
// U+10FFFF.
bool is_valid_start(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second <= 0x9f;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second <= 0x8f;
  }
  return first >= 0xc2 && first <= 0xf4;
}

// The length of the UTF-8 sequence at the start of `text`, 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (text.size() < length || !is_valid_start(first, byte(1))) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  return length;
}

// C0, DEL and C1 (U+0080 to U+009F): what a terminal may obey.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

std::string escaped_control(std::string_view character) {
  if (character == "\n") return "\\n";
  if (character == "\r") return "\\r";
  if (character == "\t") return "\\t";
  // The code point of a C1 control is its second byte.
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x",
                static_cast<unsigned>(static_cast<unsigned char>(character.back())));
  return text.data();
}

// `text` as the inside of a quoted string; the same escapes serve JSON and logfmt.
std::string escaped(std::string_view text) {
  const bool cut = text.size() > kMaxValue;
  text = text.substr(0, kMaxValue);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length);
    if (length == 0) {
      out += "\\ufffd";
    } else if (is_control(character)) {
      out += escaped_control(character);
    } else {
      if (character == "\"" || character == "\\") out += '\\';
      out += character;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return cut ? out + "..." : out;
}

std::string logfmt_value(std::string_view text) {
  std::string inside = escaped(text);
  const bool plain =
      !text.empty() && inside == text && inside.find_first_of(" =\"\\") == std::string::npos;
  return plain ? inside : '"' + inside + '"';
}

// A key is a bare word in logfmt and cannot be quoted there.
std::string logfmt_key(std::string_view key) {
  std::string out(key.empty() ? "_" : key);
  for (char& c : out) {
    if (c <= ' ' || c == '=' || c == '"' || c == 0x7f) c = '_';
  }
  return out;
}

std::string timestamp(WallTime time) {
  const auto since_epoch = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t calendar = seconds.count();
  std::tm parts{};
  ::gmtime_r(&calendar, &parts);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                static_cast<int>((since_epoch - seconds).count()));
  return text.data();
}

// Whole lines with write(2): nothing is buffered that a crash could lose. A line that cannot be
// written is lost; there is no better place to say so.
void write_line(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

class StderrSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    write_line({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}
};

// Runs on the log thread first. Signals belong to the event loop, and a reader of stderr that goes
// away must not end the process by SIGPIPE.
void block_all_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

// `pool` is null when no thread could be started; lines are then written by the caller.
struct Logger::Sink {
  LogLevel level;
  LogFormat format;
  bool to_journal = stderr_is_journal();
  std::shared_ptr<spdlog::details::thread_pool> pool{};
  std::shared_ptr<spdlog::async_logger> logger{};
};

Logger::Logger(LogLevel level, LogFormat format)
    : sink_(std::make_unique<Sink>(Sink{.level = level, .format = format})) {
  try {
    sink_->pool =
        std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1, block_all_signals);
    sink_->logger = std::make_shared<spdlog::async_logger>(
        "stderr", std::make_shared<StderrSink>(), sink_->pool,
        spdlog::async_overflow_policy::overrun_oldest);
    sink_->logger->set_level(spdlog::level::trace);
  } catch (const std::exception&) {
    sink_->logger.reset();
    sink_->pool.reset();
  }
}

// The pool's destructor writes what is queued and waits for its thread without a limit. So a thread
// of its own runs it: when stderr blocks, both threads are left to the end of the process, with
// nothing but what they own.
Logger::~Logger() {
  if (!sink_->pool) return;
  std::promise<void> done;
  const std::future<void> flushed = done.get_future();
  try {
    std::thread([logger = std::move(sink_->logger), pool = std::move(sink_->pool),
                 done = std::move(done)]() mutable {
      block_all_signals();
      pool.reset();  // joins; only then does the logger, which queued lines refer to, go
      done.set_value();
    }).detach();
    flushed.wait_for(kFlushTime);
  } catch (const std::exception&) {
    // No thread to be had: the pool is destroyed here after all.
  }
}

std::uint64_t Logger::dropped() const { return sink_->pool ? sink_->pool->overrun_counter() : 0; }

void Logger::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < sink_->level) return;
  const auto time =
      sink_->to_journal ? std::nullopt : std::optional(std::chrono::system_clock::now());
  std::string line(sink_->to_journal ? journal_prefix(level) : "");
  line += format_log_line(sink_->format, time, level, message, fields);
  line += '\n';
  if (sink_->logger) {
    sink_->logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  } else {
    write_line(line);
  }
}

void Logger::debug(std::string_view message, std::initializer_list<LogField> fields) {
  log(LogLevel::debug, message, fields);
}
void Logger::info(std::string_view message, std::initializer_list<LogField> fields) {
  log(LogLevel::info, message, fields);
}
void Logger::warn(std::string_view message, std::initializer_list<LogField> fields) {
  log(LogLevel::warn, message, fields);
}
void Logger::error(std::string_view message, std::initializer_list<LogField> fields) {
  log(LogLevel::error, message, fields);
}

Result<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warn, LogLevel::error}) {
    if (text == to_text(level)) return level;
  }
  return Unexpected({Errc::invalid, '"' + std::string(text) +
                                        "\" is no log level: use debug, info, warn or error"});
}

Result<LogFormat> parse_log_format(std::string_view text) {
  if (text == "logfmt") return LogFormat::logfmt;
  if (text == "json") return LogFormat::json;
  return Unexpected(
      {Errc::invalid, '"' + std::string(text) + "\" is no log format: use logfmt or json"});
}

std::string format_log_line(LogFormat format, std::optional<WallTime> time, LogLevel level,
                            std::string_view message, std::initializer_list<LogField> fields) {
  std::string line;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!line.empty()) line += format == LogFormat::json ? ',' : ' ';
    line += format == LogFormat::json ? '"' + escaped(key) + "\":\"" + escaped(value) + '"'
                                      : logfmt_key(key) + '=' + logfmt_value(value);
  };
  if (time) add("ts", timestamp(*time));
  add("level", to_text(level));
  add("msg", message);
  for (const LogField& field : fields) add(field.key, field.value);
  return format == LogFormat::json ? '{' + line + '}' : line;
}

}  // namespace storage_probe
