// SPDX-License-Identifier: Apache-2.0
#include "model/target.h"

#include <set>

namespace storage_probe {
namespace {

// Empty unless each of the volumes has one.
std::set<std::string> volume_ids(const MountIdentity& identity) {
  if (!identity.volume_id.empty()) return {identity.volume_id};
  std::set<std::string> ids;
  for (const Device& device : identity.devices) {
    if (!device.leaf) continue;
    if (device.volume_id.empty()) return {};
    ids.insert(device.volume_id);
  }
  return ids;
}

// dm-0 may become dm-1; the name that the volume was given stays.
bool has_given_name(const MountIdentity& identity) {
  return identity.source.starts_with("/dev/mapper/");
}

}  // namespace

std::string volume_key(const MountIdentity& identity) {
  std::string key;
  for (const std::string& id : volume_ids(identity)) key += (key.empty() ? "" : ",") + id;
  if (!key.empty()) return key;
  return identity.device.empty() || has_given_name(identity) ? identity.source : identity.device;
}

bool same_volume(const MountIdentity& a, const MountIdentity& b) {
  const auto ids_a = volume_ids(a);
  const auto ids_b = volume_ids(b);
  if (!ids_a.empty() && !ids_b.empty()) return ids_a == ids_b;
  if (has_given_name(a) && a.source == b.source) return true;
  if (a.device != b.device) return false;
  return !a.device.empty() || a.source == b.source;
}

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
