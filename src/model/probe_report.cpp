// SPDX-License-Identifier: Apache-2.0
#include "model/probe_report.h"

#include <cerrno>

namespace storage_probe {

std::string_view to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::stuck:
      return "stuck";
  }
  return "unknown";
}

std::string_view to_text(StopReason reason) {
  switch (reason) {
    case StopReason::time:
      return "time";
    case StopReason::ios:
      return "ios";
    case StopReason::bytes:
      return "bytes";
    case StopReason::certain:
      return "certain";
    case StopReason::busy:
      return "busy";
  }
  return "unknown";
}

std::string_view to_text(Deferral deferral) {
  switch (deferral) {
    case Deferral::shared_lease:
      return "shared_lease";
    case Deferral::budget:
      return "budget";
  }
  return "unknown";
}

std::string_view to_text(Doubt doubt) {
  switch (doubt) {
    case Doubt::clock_suspect:
      return "clock_suspect";
    case Doubt::cache_suspect:
      return "cache_suspect";
    case Doubt::too_few_samples:
      return "too_few_samples";
    case Doubt::contended:
      return "contended";
    case Doubt::cgroup_limited:
      return "cgroup_limited";
    case Doubt::cpu_limited:
      return "cpu_limited";
    case Doubt::queue_depth_limited:
      return "queue_depth_limited";
    case Doubt::init_suspect:
      return "init_suspect";
    case Doubt::unsteady:
      return "unsteady";
  }
  return "unknown";
}

std::string_view errno_name(int errno_value) {
  switch (errno_value) {
    case 0:
    case EIO:
      return "EIO";
    case ENOSPC:
      return "ENOSPC";
    case EDQUOT:
      return "EDQUOT";
    case EROFS:
      return "EROFS";
    case EACCES:
      return "EACCES";
    case EPERM:
      return "EPERM";
    case ESTALE:
      return "ESTALE";
    case ETIMEDOUT:
      return "ETIMEDOUT";
    case EAGAIN:
      return "EAGAIN";
    case EINVAL:
      return "EINVAL";
    case ENXIO:
      return "ENXIO";
    case ENODEV:
      return "ENODEV";
    case EREMOTEIO:
      return "EREMOTEIO";
    case EBADF:
      return "EBADF";
    case ENOENT:
      return "ENOENT";
    case ENOMEM:
      return "ENOMEM";
  }
  return "other";
}

Usage ProbeReport::used() const {
  Usage total;
  for (const Operation operation : kOperations) {
    total += measured.used[operation];
    total += layout[operation];
  }
  total.time = measured.elapsed + layout_elapsed;
  return total;
}

double depth_in_use(const ProbeSpec& spec, const Measurement& measured) {
  if (measured.duration <= Duration{}) return 0;
  const auto& operations = measured.operations;
  double in_flight = operations[Operation::read].latency.sum_seconds() +
                     operations[Operation::write].latency.sum_seconds();
  if (spec.fsync_every > 0) in_flight += operations[Operation::fsync].latency.sum_seconds();
  return in_flight / to_seconds(measured.duration);
}

}  // namespace storage_probe
