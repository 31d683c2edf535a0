// SPDX-License-Identifier: Apache-2.0
#include "model/target.h"

namespace storage_probe {

std::string_view to_text(TargetState state) {
  switch (state) {
    case TargetState::unknown:
      return "unknown";
    case TargetState::ready:
      return "ready";
    case TargetState::preparing:
      return "preparing";
    case TargetState::not_mounted:
      return "not_mounted";
    case TargetState::wrong_mount:
      return "wrong_mount";
    case TargetState::not_a_disk:
      return "not_a_disk";
    case TargetState::direct_io_rejected:
      return "direct_io_rejected";
    case TargetState::permission_denied:
      return "permission_denied";
    case TargetState::read_only:
      return "read_only";
    case TargetState::no_space:
      return "no_space";
    case TargetState::data_directory:
      return "data_directory";
    case TargetState::file_conflict:
      return "file_conflict";
    case TargetState::io_error:
      return "io_error";
    case TargetState::namespace_mismatch:
      return "namespace_mismatch";
    case TargetState::stuck:
      return "stuck";
  }
  return "unknown";
}

std::string_view to_text(IoPriority priority) {
  switch (priority) {
    case IoPriority::inherited:
      return "none";
    case IoPriority::best_effort:
      return "best-effort";
    case IoPriority::idle:
      return "idle";
  }
  return "unknown";
}

std::optional<TargetState> parse_target_state(std::string_view text) {
  for (const TargetState state : kTargetStates) {
    if (to_text(state) == text) return state;
  }
  return std::nullopt;
}

}  // namespace storage_probe
