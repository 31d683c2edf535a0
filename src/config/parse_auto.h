// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.h"
#include "config/yaml_reader.h"

namespace storage_probe::config {

// What `match` says of mounts. A rule that says nothing is refused: it would match every one.
AutoMatch parse_match(const Value& value);

// The pattern that names are made of: "{basename}", "db-{volume_id}".
std::string parse_pattern(const Value& value);

}  // namespace storage_probe::config
