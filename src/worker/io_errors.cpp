// SPDX-License-Identifier: Apache-2.0
#include "worker/io_errors.h"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/checked.h"
#include "engine/run.h"

namespace storage_probe::worker {
namespace {

TargetState state_of(std::string_view errno_name) {
  if (errno_name == "ENOSPC" || errno_name == "EDQUOT") return TargetState::no_space;
  if (errno_name == "EROFS") return TargetState::read_only;
  if (errno_name == "EACCES" || errno_name == "EPERM") return TargetState::permission_denied;
  return TargetState::io_error;
}

std::string count_errors(const Measurement& measured) {
  Ops all;
  for (const Usage& usage : measured.used.values) all += usage.ops;
  std::uint64_t failed = 0;
  std::string names;
  for (const auto& [name, count] : measured.errors) {
    failed += count;
    names += (names.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return std::to_string(failed) + " of " + std::to_string(all.value) + " I/Os failed: " + names;
}

std::string_view most_frequent(const Measurement& measured) {
  const auto& errors = measured.errors;
  const auto most =
      std::max_element(errors.begin(), errors.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == errors.end() ? std::string_view() : std::string_view(most->first);
}

// Only of a regular file; one that is gone with its server (ESTALE) has none.
std::optional<Bytes> size_of(int fd) {
  struct ::stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(facts.st_size)};
}

}  // namespace

std::optional<Failure> judge_errors(const Measurement& measured, Bytes expected_size,
                                    std::optional<Bytes> size_now) {
  if (measured.errors.empty()) return std::nullopt;
  if (size_now && *size_now < expected_size) {
    return engine::fail(TargetState::io_error,
                        "the probe file was cut from " + to_text(expected_size) + " to " +
                            to_text(*size_now) + " while it was probed: " + count_errors(measured));
  }
  if (!engine::failed_by_errors(measured)) return std::nullopt;
  return engine::fail(state_of(most_frequent(measured)), count_errors(measured));
}

std::optional<Failure> find_failure(const Measurement& measured, const engine::ProbeFile& file) {
  if (!measured.errors.empty()) {
    if (auto failure = judge_errors(measured, file.size(), size_of(file.fd()))) return failure;
  }
  const auto lost = engine::lost_writes(measured);
  if (!lost) return std::nullopt;
  return engine::fail(TargetState::io_error, *lost);
}

}  // namespace storage_probe::worker
