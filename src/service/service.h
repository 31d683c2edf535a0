// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/log.h"
#include "config/config.h"
#include "service/mode.h"

namespace storage_probe::service {

struct Options {
  std::filesystem::path config_file;  // empty: `config` cannot be reloaded
  config::Config config;              // valid
  std::filesystem::path storage_path;
  std::string host_id;
  std::vector<std::string> listen_addresses;
  std::string telemetry_path;
  std::string procfs, sysfs;
  std::filesystem::path hold_directory;  // a file for each held target
  Mode mode = Mode::probe;
};

// Blocks the signals that the event loop takes (SIGCHLD, SIGTERM, SIGINT, SIGHUP) and ignores
// SIGPIPE. To be called before the first thread starts: threads inherit the mask.
void prepare_signals();

// The daemon: listens, probes on schedule, serves, until SIGTERM or SIGINT. Owns every room's
// objects and runs the one event loop on the calling thread. Returns the process's exit code; what
// is wrong has been logged.
int run(Options options, Logger& logger);

}  // namespace storage_probe::service
