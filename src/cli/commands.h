// SPDX-License-Identifier: Apache-2.0
// The commands: options in, exit code out. Each runs on the main thread until it is done.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "config/config.h"

namespace storage_probe::cli {

int serve(const ServeOptions& options);
int probe(const ProbeOptions& options);
int check_config(const CheckConfigOptions& options);
int discover(const DiscoverOptions& options);
int plan(const PlanOptions& options);
int hold(const HoldOptions& options);
int release(const ReleaseOptions& options);
int cleanup(const CleanupOptions& options);
int worker(const WorkerOptions& options);

// The file of --config.file, else the embedded default. Its errors have been said on stderr.
config::Loaded load_config(const CommonOptions& common);

// The --host.id, else the machine's own. Errc::invalid: the flag is wrong.
Result<std::string> host_id_of(const CommonOptions& options);

// Reads the command line and runs what it asks for.
int run(int argc, const char* const* argv);

}  // namespace storage_probe::cli
