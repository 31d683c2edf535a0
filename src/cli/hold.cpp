// SPDX-License-Identifier: Apache-2.0
// `hold` and `release`. They work without a daemon, and with a configuration that has errors: a
// brake is pulled when things are not as they should be.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "config/config.h"
#include "service/hold_answer.h"
#include "service/holds.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

namespace fs = std::filesystem;
using service::Hold;
using service::kHoldAll;

// A daemon has looked, its child has died, and it has answered by then.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kRetry{50};

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "storage_probe_exporter: %s\n", message.c_str());
  return code;
}

fs::path holds_of(const CommonOptions& common) { return common.runtime_path / "hold"; }

std::string subject(const std::string& target) {
  return target == kHoldAll ? "every target" : target;
}

// The names that the configuration has; empty where it cannot tell.
std::vector<std::string> known_targets(const CommonOptions& common) {
  std::vector<std::string> names;
  if (common.config_file.empty()) return names;
  const config::Loaded loaded = config::load(common.config_file);
  if (!loaded.errors.empty()) {
    std::fprintf(stderr, "note: %s has errors: the target's name is not checked\n",
                 common.config_file.c_str());
    return names;
  }
  for (const Target& target : loaded.config.targets) names.push_back(target.name);
  return names;
}

// What is wrong with the name; empty when nothing is.
std::string unknown(const std::string& target, const CommonOptions& common) {
  const auto names = known_targets(common);
  const bool is_known = std::find(names.begin(), names.end(), target) != names.end();
  if (target == kHoldAll || names.empty() || is_known) return {};
  std::string list;
  for (const std::string& name : names) list += name + ", ";
  return "no target \"" + target + "\" in " + common.config_file.string() + ": choose " + list +
         "or all";
}

// The targets whose locks tell whether a probe of `target` runs.
std::vector<std::string> locks_of(const std::string& target, const fs::path& directory) {
  if (target != kHoldAll) return {target};
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".lock") names.push_back(entry->path().stem().string());
  }
  return names;
}

// A probe holds its target's lock until it is gone, from wherever it was started.
Result<std::optional<std::string>> first_running(const std::string& target,
                                                 const fs::path& directory) {
  for (const std::string& name : locks_of(target, directory)) {
    const auto locked = worker::is_locked(directory, name);
    if (!locked) return Unexpected(locked.error());
    if (*locked) return std::optional(name);
  }
  return std::optional<std::string>();
}

// Why a hold is not to be relied on, though it is written: an error, with the cure.
int not_taken(const fs::path& file, const std::string& why) {
  return complain("the hold is written to " + file.string() + ", but " + why, kFailed);
}

// Whether a daemon lives, or that cannot be told.
bool may_have_daemon(const CommonOptions& common) {
  const auto daemon = worker::is_locked(common.storage_path, "daemon");
  return !daemon || *daemon;
}

std::string nobody_answers(const CommonOptions& common) {
  const std::string state = common.storage_path.string();
  if (may_have_daemon(common)) {
    return "the exporter on " + state +
           " has not taken it over within 5 s: it is stopped, waits for a disk, or was started "
           "with "
           "another --runtime.path";
  }
  return "no exporter runs on " + state +
         ": give hold the --storage.path and --runtime.path of the one that runs; one that is "
         "started there later obeys the hold";
}

// What an answer says against the hold; empty when nothing.
std::string objection(const service::HoldAnswer& answer, const HoldOptions& options) {
  if (answer.storage_path != fs::absolute(options.common.storage_path).lexically_normal()) {
    return "the exporter that looks there has --storage.path=" + answer.storage_path.string() +
           ": give hold the same";
  }
  if (answer.unknown.contains(options.target)) {
    return "the exporter has no target of that name: remove it with release, and hold a target "
           "that "
           "its page shows";
  }
  return {};
}

// What is known of a hold that was written.
struct Waiting {
  std::string flaw;                    // why it will not be taken over; empty: it may be
  std::optional<std::string> running;  // a target whose probe has not ended
  bool is_over = false;                // it is in force, and no probe runs
};

Waiting look(const HoldOptions& options, const std::string& id) {
  Waiting found;
  const auto answer = service::read_answer(service::answer_file(holds_of(options.common)));
  const auto running = first_running(options.target, options.common.storage_path / "run");
  if (!answer || !running) {
    found.flaw = answer ? running.error().message : answer.error().message;
    return found;
  }
  found.running = *running;
  if (!*answer) return found;
  found.flaw = objection(**answer, options);
  const auto rests = (*answer)->rests.find(options.target);
  found.is_over = rests != (*answer)->rests.end() && rests->second == id && !found.running;
  return found;
}

std::string why_not_in_time(const Waiting& last, const HoldOptions& options) {
  if (!last.running) return nobody_answers(options.common);
  return "a probe of " + *last.running +
         " does not end: its volume does not answer, and cannot be unmounted";
}

// Waits until an unmount meets no probe: says how that went, and answers with the exit code.
int wait_for_end(const std::string& what, const HoldOptions& options, const std::string& id) {
  const fs::path file = holds_of(options.common) / options.target;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Waiting last = look(options, id);
  while (last.flaw.empty() && !last.is_over) {
    const bool is_in_vain = !last.running && !may_have_daemon(options.common);
    if (is_in_vain || std::chrono::steady_clock::now() >= until)
      return not_taken(file, why_not_in_time(last, options));
    std::this_thread::sleep_for(kRetry);
    last = look(options, id);
  }
  if (!last.flaw.empty()) return not_taken(file, last.flaw);
  const char* const of_it = options.target == kHoldAll ? "" : " of it";
  std::printf("%s: no probe%s runs any more\n", what.c_str(), of_it);
  return kDone;
}

void say_released(const ReleaseOptions& options, bool was_held) {
  const bool is_all = options.target == kHoldAll;
  const std::string what =
      !was_held && is_all ? "there is no hold of every target"
                          : subject(options.target) + (was_held ? " is released" : " was not held");
  const auto left = service::read_holds(holds_of(options.common), std::chrono::system_clock::now());
  const auto remaining = is_all ? left.begin() : left.find(kHoldAll);
  if (remaining == left.end()) {
    std::printf("%s: %s probed on schedule\n", what.c_str(), is_all ? "all are" : "it is");
  } else {
    std::printf("%s, but %s is still held %s\n", what.c_str(), subject(remaining->first).c_str(),
                service::describe(remaining->second).c_str());
  }
}

// No two commands have the same.
std::string new_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::nanoseconds(now).count()) + "." + std::to_string(::getpid());
}

}  // namespace

int hold(const HoldOptions& options) {
  if (const auto why = unknown(options.target, options.common); !why.empty())
    return complain(why, kUsage);
  Hold hold{{}, options.reason, new_id()};
  std::string what = subject(options.target) + " is held ";
  if (options.time) {
    hold.until = std::chrono::system_clock::now() + *options.time;
    what += "for " + to_text(*options.time) + ", until " + service::utc_text(*hold.until);
  } else {
    what += "until it is released";
  }
  const auto written = service::write_hold(holds_of(options.common), options.target, hold);
  if (written) return wait_for_end(what, options, hold.id);
  const Error error = written.error().in("hold " + options.target);
  if (error.code == Errc::invalid) return complain(error.message, kUsage);
  return complain(error.message + ": run it as the exporter's user or root, or give --runtime.path",
                  kFailed);
}

int release(const ReleaseOptions& options) {
  const fs::path directory = holds_of(options.common);
  const auto removed = service::remove_hold(directory, options.target);
  if (!removed && removed.error().code != Errc::not_found) {
    return complain(removed.error().in("release " + options.target).message,
                    removed.error().code == Errc::invalid ? kUsage : kFailed);
  }
  if (!removed) {
    if (const auto why = unknown(options.target, options.common); !why.empty())
      return complain(why, kUsage);
  }
  say_released(options, static_cast<bool>(removed));
  return kDone;
}

}  // namespace storage_probe::cli
