// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/draft.h"
#include "config/yaml_reader.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// What the rest of the configuration says that a target needs. Its members must outlive it.
struct Context {
  const CustomProbes& customs;
  const Catalogue& catalogue;
  Profile profile = Profile::safe;
};

// The top-level key `defaults`, on top of `draft`.
void parse_defaults(const Value& value, const Context& context, TargetDraft& draft);

// An entry of `targets`, on top of the defaults.
TargetDraft parse_target(const Value& entry, const TargetDraft& defaults, const Context& context);

// An entry of `auto`, its targets on top of the defaults.
RuleDraft parse_rule(const Value& entry, const TargetDraft& defaults, const Context& context);

// Says which keys of the target itself, and of its probes, have no effect in this version.
void note_without_effect(const TargetDraft& draft, Problems& problems);

}  // namespace storage_probe::config
