// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/bars.h"
#include "model/cost.h"

namespace storage_probe::cli {

// What `plan` prints for people: a table a target, at most 80 columns wide but for long names; ends
// with a newline.
std::string plan_table(const PlanCost& cost, Style style);

}  // namespace storage_probe::cli
