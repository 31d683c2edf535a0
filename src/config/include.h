// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "config/yaml_reader.h"

namespace storage_probe::config {

// The files that the key `include` of `main` names, in the order of its patterns, those of a
// pattern sorted; each once, `main` itself never. What is wrong is told to the value's Problems; a
// pattern that matches nothing is noted.
std::vector<std::filesystem::path> included_files(const Value& include,
                                                  const std::filesystem::path& main);

}  // namespace storage_probe::config
