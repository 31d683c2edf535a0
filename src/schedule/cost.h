// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/config.h"
#include "model/cost.h"

namespace storage_probe::schedule {

// What the configuration costs at most. Where a day's allowance cannot pay for all runs, the small
// ones come first: they are afforded before the bucket has filled up for a large one.
PlanCost cost_of(const config::Config& config);

// "at most 401k I/Os and 21.5 GiB a day, 0 B of it written, over 2 targets": for the log.
std::string summary(const PlanCost& cost);

}  // namespace storage_probe::schedule
