// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/draft.h"
#include "config/yaml_reader.h"

namespace storage_probe::config {

// What holds for the whole program, from whichever file sets it.
struct Settings {
  Profile profile = Profile::safe;
  unsigned max_concurrent_capacity = 1;
  Histograms histograms = Histograms::latency;
  Promise instance;
  Windows windows;
  std::optional<Value> catalogue;  // names a file
  std::vector<std::filesystem::path> promise_files;
  std::map<std::string, Place, std::less<>> set;  // the keys that a file has set, and where
};

// Reads the settings among a file's top-level keys. A key that another file has set is refused:
// which of both holds must not depend on the order of files.
void parse_settings(const Fields& fields, Settings& settings);

// The file that a key names, which is relative to the configuration file that it stands in.
std::filesystem::path named_file(const Value& value, const std::string& name);

}  // namespace storage_probe::config
