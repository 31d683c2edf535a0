// SPDX-License-Identifier: Apache-2.0
// The rules that one key cannot see alone.
#pragma once

#include <vector>

#include "config/draft.h"

namespace storage_probe::config {

// A probe by itself: keys that have no meaning for its kind, limits that exclude each other.
void check_probe(const ProbeDraft& draft, Problems& problems);

// A target, complete with its probes: what is missing, what cannot be together.
void check_target(const TargetDraft& draft, Problems& problems);

// All targets of all files: how many, and that no two share a name, path or device.
void check_targets(const std::vector<TargetDraft>& drafts, Problems& problems);

}  // namespace storage_probe::config
