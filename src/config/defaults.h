// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/draft.h"

namespace storage_probe::config {

// How often a probe runs whose use does not say it.
Duration default_interval(const ProbeSpec& spec, Profile profile);

// What a target may spend, and the probes of one that names none.
BudgetRule default_budget(Profile profile);
std::vector<ProbeDraft> default_probes(Profile profile, const Place& place);

// Takes back what `defaults` say of a probe file where the target has none: it is a device, or
// reads an existing file.
void drop_inherited_file(TargetDraft& draft);

// Gives what the file does not set, and what has no meaning for the probe's kind, its default. The
// limits of a capacity probe leave room for two seconds of what the target is promised; beyond that
// a run never takes more than a quarter of a day's allowance.
void complete(ProbeDraft& draft, const Target& target);

}  // namespace storage_probe::config
