// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "support/files.h"

namespace storage_probe::config {

inline const std::filesystem::path kData = std::filesystem::path(TEST_DATA) / "config";

// A configuration of one target "db" on /data with these keys, one a line.
inline std::string target_with(const std::string& keys) {
  std::string text = "targets:\n  - name: db\n    path: /data\n    ";
  for (const char c : keys) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return text + "\n";
}

// The only target of a text that has one and no flaw; a target without a name otherwise.
inline Target only_target(const std::string& text) {
  const Loaded loaded = parse(text, "c.yml");
  return loaded.config.targets.size() == 1 ? loaded.config.targets.front() : Target{};
}

using Lines = std::vector<std::string>;

inline Lines errors_of(std::string_view text) { return parse(text, "c.yml").errors; }

// The .yml files directly in a directory, sorted.
inline std::vector<std::filesystem::path> yaml_files(const std::filesystem::path& directory) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".yml") files[entry.path().filename()] = entry.path();
  std::vector<std::filesystem::path> sorted;
  for (const auto& [name, file] : files) sorted.push_back(file);
  return sorted;
}

}  // namespace storage_probe::config
