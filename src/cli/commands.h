// SPDX-License-Identifier: Apache-2.0
// The commands: options in, exit code out. Each runs on the main thread until it is done.
#pragma once

#include "cli/options.h"

namespace storage_probe::cli {

int serve(const ServeOptions& options);
int probe(const ProbeOptions& options);
int check_config(const CheckConfigOptions& options);
int worker(const WorkerOptions& options);

// Reads the command line and runs what it asks for.
int run(int argc, const char* const* argv);

}  // namespace storage_probe::cli
