// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe {

enum class LogLevel { debug, info, warn, error };
enum class LogFormat { logfmt, json };

Result<LogLevel> parse_log_level(std::string_view text);
Result<LogFormat> parse_log_format(std::string_view text);

struct LogField {
  std::string_view key;
  std::string value;
};

// Structured lines on stderr: `ts=... level=info msg="probe finished" target=db`; when stderr is
// the journal, its priority prefix stands in place of the time. Any thread may call it. Lines go
// through a bounded queue to a thread of the logger's own, so that a stderr that blocks (a full
// pipe, a journald on a hung disk) never blocks a caller: when the queue is full the oldest line is
// dropped and counted. The destructor writes what is queued, waiting at most a second for it.
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

// One line as the logger writes it, without the journal's prefix and the line's end; exposed for
// its test. Whatever the strings hold, the result is one line of valid UTF-8 without control
// characters. Under the journal there is no `time`.
std::string format_log_line(LogFormat format, std::optional<WallTime> time, LogLevel level,
                            std::string_view message, std::initializer_list<LogField> fields);

}  // namespace storage_probe
