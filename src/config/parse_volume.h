// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/draft.h"
#include "config/yaml_reader.h"

namespace storage_probe::config {

// What a target says about the volume behind it. Each reads one key of a target.
void parse_expect(const Value& value, TargetDraft& draft);
void parse_volume(const Value& value, TargetDraft& draft);
void parse_objective(const Value& value, TargetDraft& draft);

// Operations per second, as counts are written.
std::optional<double> parse_iops(const Value& value);

}  // namespace storage_probe::config
