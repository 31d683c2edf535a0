// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include "cli/commands.h"
#include "cli/discovery.h"
#include "config/config.h"
#include "service/promise_files.h"
#include "targets/survey.h"

namespace storage_probe::cli {

int discover(const DiscoverOptions& options) {
  const CommonOptions& common = options.common;
  config::Loaded loaded = load_config(common);
  if (!loaded.errors.empty()) return kUsage;
  auto book = service::read_promise_files(loaded.config.promise_files);
  if (!book) {
    std::fprintf(stderr, "%s\n", book.error().message.c_str());
    return kUsage;
  }
  const auto survey = targets::survey(common.procfs, {common.sysfs});
  if (!survey) {
    std::fprintf(stderr, "the mount table: %s\n", survey.error().message.c_str());
    return kFailed;
  }
  const std::string text =
      discovered_config(*survey, {std::move(loaded.config.catalogue), *std::move(book)});
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace storage_probe::cli
