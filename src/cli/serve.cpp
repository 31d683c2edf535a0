// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/log.h"
#include "base/unique_fd.h"
#include "cli/commands.h"
#include "config/config.h"
#include "service/memory_lock.h"
#include "service/program_copy.h"
#include "service/service.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

// Makes the directory and locks it: a second daemon in it would find the first one's runs held, and
// count them apart.
Result<UniqueFd> take_state_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) {
    auto lock = worker::lock_target(path, "daemon");
    if (lock) return lock;
    if (lock.error().code == Errc::busy) {
      return Unexpected(Error{Errc::busy, "the state directory " + path.string() +
                                              " belongs to another exporter that runs: stop it, or "
                                              "give this one its own --storage.path"});
    }
    return Unexpected(Error{lock.error().code, "the state directory " + path.string() +
                                                   " cannot be used: " + lock.error().message +
                                                   ": give --storage.path a directory that this "
                                                   "user may write"});
  }
  return Unexpected(Error{Errc::denied, "make the state directory " + path.string() + ": " +
                                            error.message() +
                                            ": give --storage.path a directory that this user may "
                                            "write"});
}

// A volume that hangs may be the one that our code is on.
void keep_in_memory(Logger& logger) {
  if (const auto copied = service::copy_program(); !copied) {
    logger.info(
        "the program runs from its file: if that is on a FUSE file system, a hang of it may "
        "stop the exporter",
        {{"error", copied.error().message}});
  }
  const auto locked = service::lock_memory();
  if (!locked) {
    logger.info("memory is not locked: if the root volume hangs, an answer may need it",
                {{"error", locked.error().message}, {"cure", "raise LimitMEMLOCK"}});
  } else {
    const bool is_all = *locked == service::LockedMemory::all;
    logger.debug("memory is locked", {{"what", is_all ? "all" : "program"}});
  }
}

}  // namespace

int serve(const ServeOptions& options) {
  service::prepare_signals();
  const CommonOptions& common = options.common;
  config::Loaded loaded = load_config(common);
  if (!loaded.errors.empty()) return kUsage;

  Logger logger(common.log_level, common.log_format);
  for (const std::string& note : loaded.notes) logger.info("config note", {{"note", note}});
  const auto state = take_state_directory(common.storage_path);
  if (!state) {
    logger.error("cannot start", {{"error", state.error().message}});
    return kFailed;
  }
  auto id = host_id_of(common);
  if (!id) {
    logger.error("cannot start", {{"error", id.error().message}});
    return id.error().code == Errc::invalid ? kUsage : kFailed;
  }
  keep_in_memory(logger);
  return service::run({common.config_file, std::move(loaded.config), common.storage_path, *id,
                       options.listen_addresses, options.telemetry_path, common.procfs,
                       common.sysfs, common.runtime_path / "hold", options.mode},
                      logger);
}

}  // namespace storage_probe::cli
