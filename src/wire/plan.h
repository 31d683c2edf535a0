// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/cost.h"

namespace storage_probe::wire {

// The object that `plan --output json` prints, on one line without a newline: a contract with
// scripts. Quantities are plain numbers in seconds and bytes; what is not known is absent.
std::string plan_json(const PlanCost& cost);

}  // namespace storage_probe::wire
