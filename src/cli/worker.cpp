// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "cli/commands.h"
#include "worker/child.h"

namespace storage_probe::cli {

int worker(const WorkerOptions& /*options*/) {
  return worker::run_worker(STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace storage_probe::cli
