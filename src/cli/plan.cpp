// SPDX-License-Identifier: Apache-2.0
#include "wire/plan.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/plan_table.h"
#include "compliance/cost.h"
#include "compliance/terms.h"
#include "config/config.h"
#include "schedule/cost.h"
#include "service/promise_files.h"
#include "service/surroundings.h"

namespace storage_probe::cli {
namespace {

// What is known of a volume before anything is mounted: what is said of it, and what follows.
PlanCost plan_of(config::Config config, const PromiseBook& book) {
  std::vector<Terms> terms;
  for (Target& target : config.targets) {
    MountIdentity expected;
    expected.volume_id = target.expect.volume_id;
    terms.push_back(
        compliance::terms_of(target.volume, expected, config.catalogue, book, config.instance));
    target = config::with_promise(target, terms.back().volume);
  }
  PlanCost cost = schedule::cost_of(config);
  for (std::size_t i = 0; i < cost.targets.size(); ++i) {
    const VolumeType* const type = find_type(config.catalogue, terms[i].type);
    if (type != nullptr)
      cost.targets[i].by_type =
          compliance::type_cost_of(cost.targets[i], config.targets[i], terms[i], *type);
  }
  return cost;
}

}  // namespace

int plan(const PlanOptions& options) {
  const CommonOptions& common = options.common;
  config::Loaded loaded = load_config(common);
  if (!loaded.errors.empty()) return kUsage;
  const auto book = service::read_promise_files(loaded.config.promise_files);
  if (!book) {
    std::fprintf(stderr, "%s\n", book.error().message.c_str());
    return kUsage;
  }
  const PlanCost cost =
      plan_of(service::with_found_targets(loaded.config, common.procfs, common.sysfs), *book);
  if (options.output == OutputFormat::json) {
    std::printf("%s\n", wire::plan_json(cost).c_str());
    return kDone;
  }
  const Stream stream = isatty(STDOUT_FILENO) == 1 ? Stream::terminal : Stream::other;
  std::fputs(plan_table(cost, style_for(stream, ::getenv)).c_str(), stdout);
  return kDone;
}

}  // namespace storage_probe::cli
