// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/catalogue.h"
#include "config/yaml_reader.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// The rows of a catalogue file's root. What is wrong is told to the value's Problems.
Catalogue parse_catalogue(const Value& root);

// ", did you mean "aws.gp3"?" where an id of the catalogue is close to `word`; else empty.
std::string nearest_type(const Catalogue& catalogue, std::string_view word);

}  // namespace storage_probe::config
