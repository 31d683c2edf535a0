// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/draft.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// How often a probe runs whose use does not say it.
Duration default_interval(const ProbeSpec& spec, Profile profile);

// What a target may spend, and the probes of one that names none.
BudgetRule default_budget(Profile profile);
// Random I/O is dear on rotating disks, where `type` is known to be one: it is left out there.
std::vector<ProbeDraft> default_probes(Profile profile, const Place& place, const VolumeType* type);

// Takes back what `defaults` say of a probe file where the target has none: it is a device, or
// reads an existing file.
void drop_inherited_file(TargetDraft& draft);

// Gives what the file does not set, and what has no meaning for the probe's kind, its default. The
// limits of a capacity probe leave room for two seconds of what the target is promised; beyond that
// a run never takes more than a quarter of a day's allowance. Blocks of a sequential probe are as
// large as what the type, null where it is not known, counts as one I/O.
void complete(ProbeDraft& draft, const Target& target, const VolumeType* type);

}  // namespace storage_probe::config
