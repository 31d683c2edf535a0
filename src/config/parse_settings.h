// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

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
  std::map<std::string, Place, std::less<>> set;  // the keys that a file has set, and where
};

// Reads the settings among a file's top-level keys. A key that another file has set is refused:
// which of both holds must not depend on the order of files.
void parse_settings(const Fields& fields, Settings& settings);

}  // namespace storage_probe::config
