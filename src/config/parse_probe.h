// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/draft.h"
#include "config/yaml_reader.h"

namespace storage_probe::config {

// The entries of the top-level key `probes`, added to `customs`.
void parse_custom_probes(const Value& value, CustomProbes& customs);

// The entries of a target's `probes`: a preset or custom probe each, with what the entry changes.
std::vector<ProbeDraft> parse_uses(const Value& value, const CustomProbes& customs,
                                   Profile profile);

}  // namespace storage_probe::config
