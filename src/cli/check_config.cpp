// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "cli/commands.h"
#include "config/config.h"

namespace storage_probe::cli {

int check_config(const CheckConfigOptions& options) {
  const config::Loaded loaded = config::load(options.file);
  for (const std::string& error : loaded.errors) std::fprintf(stderr, "%s\n", error.c_str());
  if (!loaded.errors.empty()) return kFailed;
  for (const std::string& note : loaded.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (options.print) {
    std::fputs(config::print(loaded.config).c_str(), stdout);
    return kDone;
  }
  std::size_t probes = 0;
  for (const Target& target : loaded.config.targets) probes += target.probes.size();
  std::printf("%s: valid: %zu targets, %zu probes\n", options.file.c_str(),
              loaded.config.targets.size(), probes);
  return kDone;
}

}  // namespace storage_probe::cli
