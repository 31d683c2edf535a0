// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/daily_window.h"
#include "model/promise.h"
#include "model/target.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// Of a configuration, those that its rules make included.
inline constexpr std::size_t kMostTargets = 256;

enum class Histograms { latency, all, none };

// Which mounts a rule is about: those of which all is true that is set here.
struct AutoMatch {
  std::string mountpoint;             // a pattern: `*` is any text without a slash
  std::vector<std::string> fs_types;  // any of these
  std::string provider, volume_type;

  bool operator==(const AutoMatch&) const = default;
};

// Makes targets of mounts while the exporter runs (config/auto_targets.h).
struct AutoRule {
  AutoMatch match;
  std::string name;  // what names are made of: "db-{basename}"
  Target target;     // all but name and path

  bool operator==(const AutoRule&) const = default;
};

// A whole configuration: every default filled in, every rule checked. A value: reload builds a new
// one and compares.
struct Config {
  std::vector<Target> targets;       // in the file's order
  std::vector<AutoRule> auto_rules;  // in the file's order
  unsigned max_concurrent_capacity = 1;
  Histograms histograms = Histograms::latency;
  Promise instance;  // this host's own limit towards all its volumes together; empty: none
  Windows windows;
  Catalogue catalogue;  // the one that is compiled in, or the operator's in its place
  std::filesystem::path catalogue_file;              // empty: the one that is compiled in
  std::vector<std::filesystem::path> promise_files;  // absolute or relative to where we run
  std::string sha256;  // of the text of all files read, hex; empty for the embedded default
};

// Null when there is none of that name.
inline const Target* find_target(const Config& config, std::string_view name) {
  for (const Target& target : config.targets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

struct Loaded {
  Config config;                    // valid only when `errors` is empty
  std::vector<std::string> errors;  // "file:line:column: path: reason", at most 20
  std::vector<std::string> notes;   // keys that are accepted and have no effect in this version
};

// Reads `path` and the files it includes. Never throws; a file that cannot be read is one error.
// Blocking file I/O on the configuration's own files only; no path of a target is touched.
Loaded load(const std::filesystem::path& path);

// As load(), from a text; `name` stands for the file in messages. For tests and fuzzers.
Loaded parse(std::string_view text, const std::string& name);

// What runs without a configuration: one target "default" on the directory `storage_path`, file 64
// MiB, randread, seqread and latency with small limits, so that results come within seconds.
Config embedded_default(const std::filesystem::path& storage_path);

// The target as it is once its promise is known: its probes' limits that nobody has set leave room
// for it, as they do from the start where the configuration has it.
Target with_promise(const Target& target, const Promise& promise);

// The configuration as YAML with all defaults filled in, for `check-config --print`.
std::string print(const Config& config);

}  // namespace storage_probe::config
