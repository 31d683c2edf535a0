// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/cost.h"
#include "model/volume_type.h"

namespace storage_probe::compliance {

// What a target's plan costs in burst credits and in money, at most. `plan` is of `target`, its
// probes in the same order; `terms` are what the target is judged by, `type` the row of its type.
TypeCost type_cost_of(const TargetCost& plan, const Target& target, const Terms& terms,
                      const VolumeType& type);

}  // namespace storage_probe::compliance
