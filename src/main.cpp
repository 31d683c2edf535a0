// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "cli/commands.h"

int main(int argc, char** argv) {
  try {
    return storage_probe::cli::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "storage_probe_exporter: internal error: %s\n", e.what());
    return 1;
  }
}
