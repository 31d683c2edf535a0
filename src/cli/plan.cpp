// SPDX-License-Identifier: Apache-2.0
#include "wire/plan.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/commands.h"
#include "cli/plan_table.h"
#include "config/config.h"
#include "schedule/cost.h"

namespace storage_probe::cli {

int plan(const PlanOptions& options) {
  const CommonOptions& common = options.common;
  config::Loaded loaded = load_config(common);
  if (!loaded.errors.empty()) return kUsage;
  const PlanCost cost = schedule::cost_of(loaded.config);
  if (options.output == OutputFormat::json) {
    std::printf("%s\n", wire::plan_json(cost).c_str());
    return kDone;
  }
  const Stream stream = isatty(STDOUT_FILENO) == 1 ? Stream::terminal : Stream::other;
  std::fputs(plan_table(cost, style_for(stream, ::getenv)).c_str(), stdout);
  return kDone;
}

}  // namespace storage_probe::cli
