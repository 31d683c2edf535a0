// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace storage_probe {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { logfmt, json };

Result<LogLevel> parse_log_level(std::string_view text);
Result<LogFormat> parse_log_format(std::string_view text);

struct LogField {
  std::string_view key;
  std::string value;
};

// Structured lines on stderr: `level=info msg="probe finished" target=db`. Any thread may call it.
// Lines go through a bounded queue to a thread of the logger's own, so that a stderr that blocks (a
// full pipe, a journald on a hung disk) never blocks a caller: when the queue is full the oldest
// line is dropped and counted. The destructor writes what is queued, waiting at most a second for
// it.
class Logger {
 public:
  Logger(LogLevel level, LogFormat format);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void debug(std::string_view message, std::initializer_list<LogField> fields = {});
  void info(std::string_view message, std::initializer_list<LogField> fields = {});
  void warn(std::string_view message, std::initializer_list<LogField> fields = {});
  void error(std::string_view message, std::initializer_list<LogField> fields = {});

  std::uint64_t dropped() const;

 private:
  struct Sink;
  void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields);

  std::unique_ptr<Sink> sink_;
};

// One line without its level prefix, as the logger writes it; exposed for its test.
std::string format_log_line(LogFormat format, LogLevel level, std::string_view message,
                            std::initializer_list<LogField> fields);

}  // namespace storage_probe
