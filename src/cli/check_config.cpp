// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "cli/commands.h"
#include "config/config.h"
#include "service/promise_files.h"

namespace storage_probe::cli {

int check_config(const CheckConfigOptions& options) {
  const config::Loaded loaded = config::load(options.file);
  for (const std::string& error : loaded.errors) std::fprintf(stderr, "%s\n", error.c_str());
  if (!loaded.errors.empty()) return kFailed;
  if (const auto book = service::read_promise_files(loaded.config.promise_files); !book) {
    std::fprintf(stderr, "%s: promises.files: %s\n", options.file.c_str(),
                 book.error().message.c_str());
    return kFailed;
  }
  for (const std::string& note : loaded.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (options.print) {
    std::fputs(config::print(loaded.config).c_str(), stdout);
    return kDone;
  }
  std::size_t probes = 0;
  for (const Target& target : loaded.config.targets) probes += target.probes.size();
  std::printf("%s: valid: %zu targets, %zu probes", options.file.c_str(),
              loaded.config.targets.size(), probes);
  if (const std::size_t rules = loaded.config.auto_rules.size(); rules > 0)
    std::printf(", and what %zu auto rule%s find%s", rules, rules == 1 ? "" : "s",
                rules == 1 ? "s" : "");
  std::printf("\n");
  return kDone;
}

}  // namespace storage_probe::cli
