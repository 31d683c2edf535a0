// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/draft.h"
#include "config/yaml_reader.h"

namespace storage_probe::config {

// How probing treats a target: its probe file, what it must leave alone and what it may spend. Each
// reads one key of a target.
void parse_file(const Value& value, TargetDraft& draft);
void parse_space(const Value& value, TargetDraft& draft);
void parse_busy(const Value& value, TargetDraft& draft);
void parse_budget(const Value& value, TargetDraft& draft);
void parse_labels(const Value& value, TargetDraft& draft);

}  // namespace storage_probe::config
