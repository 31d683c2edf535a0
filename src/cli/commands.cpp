// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <variant>

#include "service/host_id.h"

namespace storage_probe::cli {
namespace {

int dispatch(const Leave& leave) { return leave.code; }
int dispatch(const ServeOptions& options) { return serve(options); }
int dispatch(const ProbeOptions& options) { return probe(options); }
int dispatch(const CheckConfigOptions& options) { return check_config(options); }
int dispatch(const WorkerOptions& options) { return worker(options); }

}  // namespace

Result<std::string> host_id_of(const CommonOptions& options) {
  if (options.host_id.empty()) return service::host_id({options.storage_path, options.sysfs});
  auto id = service::parse_host_id(options.host_id);
  if (!id) return Unexpected(id.error().in("--host.id"));
  return id;
}

int run(int argc, const char* const* argv) {
  return std::visit([](const auto& options) { return dispatch(options); },
                    parse_command_line(argc, argv));
}

}  // namespace storage_probe::cli
