// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <cstdio>
#include <variant>

#include "service/host_id.h"

namespace storage_probe::cli {
namespace {

int dispatch(const Leave& leave) { return leave.code; }
int dispatch(const ServeOptions& options) { return serve(options); }
int dispatch(const ProbeOptions& options) { return probe(options); }
int dispatch(const CheckConfigOptions& options) { return check_config(options); }
int dispatch(const DiscoverOptions& options) { return discover(options); }
int dispatch(const PlanOptions& options) { return plan(options); }
int dispatch(const HoldOptions& options) { return hold(options); }
int dispatch(const ReleaseOptions& options) { return release(options); }
int dispatch(const CleanupOptions& options) { return cleanup(options); }
int dispatch(const WorkerOptions& options) { return worker(options); }

}  // namespace

config::Loaded load_config(const CommonOptions& common) {
  config::Loaded loaded;
  if (common.config_file.empty()) {
    loaded.config = config::embedded_default(std::filesystem::absolute(common.storage_path));
  } else {
    loaded = config::load(common.config_file);
  }
  for (const std::string& error : loaded.errors) std::fprintf(stderr, "%s\n", error.c_str());
  return loaded;
}

Result<std::string> host_id_of(const CommonOptions& options) {
  if (options.host_id.empty()) return service::host_id({options.storage_path, options.sysfs});
  auto id = service::parse_host_id(options.host_id);
  if (!id) return Unexpected(id.error().in("--host.id"));
  return id;
}

int run(int argc, const char* const* argv) {
  const int code = std::visit([](const auto& options) { return dispatch(options); },
                              parse_command_line(argc, argv));
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("storage_probe_exporter: standard output could not be written\n", stderr);
  return code == kDone ? kFailed : code;
}

}  // namespace storage_probe::cli
