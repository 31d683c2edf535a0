// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/log.h"
#include "base/units.h"
#include "service/mode.h"

namespace storage_probe::cli {

// Exit codes, the same for every command.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;  // the probe failed, the port was busy, the file is invalid
inline constexpr int kUsage = 2;   // bad usage or configuration
inline constexpr int kNoncompliant = 3;
inline constexpr int kInconclusive = 4;  // where something is promised

// Flags that several commands share.
struct CommonOptions {
  std::filesystem::path config_file;  // empty: the embedded default
  std::filesystem::path storage_path;
  std::filesystem::path runtime_path;  // its `hold` has a file for each held target
  std::string host_id;                 // empty: from the machine
  LogLevel log_level = LogLevel::info;
  LogFormat log_format = LogFormat::logfmt;
  std::string procfs, sysfs;
};

struct ServeOptions {
  CommonOptions common;
  std::vector<std::string> listen_addresses;
  std::string telemetry_path;
  service::Mode mode = service::Mode::probe;
};

enum class OutputFormat { table, json };

struct ProbeOptions {
  CommonOptions common;
  std::string subject;  // a path (has a '/') or the name of a configured target
  std::string probe;    // a preset's or a configured probe's name
  bool all = false;
  bool writes = false;
  bool keep_file = false;
  bool print_fio = false;  // the fio command line that does the same, instead of running
  OutputFormat output = OutputFormat::table;
};

struct CheckConfigOptions {
  std::filesystem::path file;
  bool print = false;
};

struct DiscoverOptions {
  CommonOptions common;
};

struct PlanOptions {
  CommonOptions common;
  OutputFormat output = OutputFormat::table;
};

struct HoldOptions {
  CommonOptions common;
  std::string target;            // or "all"
  std::optional<Duration> time;  // empty: until it is released
  std::string reason;
};

struct ReleaseOptions {
  CommonOptions common;
  std::string target;  // or "all"
};

struct CleanupOptions {
  CommonOptions common;
  std::filesystem::path force;  // only this file; empty: what is ours of every target
};

struct WorkerOptions {};

// What to do after the command line was read: run a command, or leave with a code (--help,
// --version and usage errors have printed what they had to say).
struct Leave {
  int code;
};
using Parsed =
    std::variant<Leave, ServeOptions, ProbeOptions, CheckConfigOptions, DiscoverOptions,
                 PlanOptions, CleanupOptions, HoldOptions, ReleaseOptions, WorkerOptions>;

Parsed parse_command_line(int argc, const char* const* argv);

}  // namespace storage_probe::cli
