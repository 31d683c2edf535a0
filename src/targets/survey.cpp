// SPDX-License-Identifier: Apache-2.0
#include "targets/survey.h"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "targets/mountinfo.h"

namespace storage_probe::targets {
namespace {

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

bool is_boot(std::string_view mountpoint) {
  return mountpoint == "/boot" || mountpoint.starts_with("/boot/") || mountpoint == "/efi";
}

// Container engines mount single files of the host there.
bool is_file_of_a_container(std::string_view mountpoint) {
  return mountpoint == "/etc/hosts" || mountpoint == "/etc/hostname" ||
         mountpoint == "/etc/resolv.conf";
}

// Why a mount is none to probe, by itself. Empty when it may be one.
std::string why_not(const Mount& mount, std::span<const Mount> mounts) {
  if (const std::string kind = why_not_a_disk(mount, mounts); !kind.empty())
    return kind + " is no disk";
  if (find_by_path(mounts, mount.mountpoint) != &mount) return "another mount hides it";
  if (is_boot(mount.mountpoint)) return "it is read when the host starts, and hardly ever later";
  if (is_file_of_a_container(mount.mountpoint)) return "it is a single file of a container engine";
  if (has_option(mount.options, "ro") || has_option(mount.super_options, "ro"))
    return "it is read-only: a probe file cannot be written there";
  return {};
}

// What is mounted, whichever part of it and wherever.
std::string file_system_of(const Mount& mount, const MountIdentity& identity) {
  if (!identity.devices.empty()) return identity.devices.front().number;
  return is_network(mount.fs_type) ? mount.source : mount.device;
}

// Of two mounts of one file system the one that shows more of it, then the one of the shorter path.
bool is_better(const Mount& a, const Mount& b) {
  if (a.root.size() != b.root.size()) return a.root.size() < b.root.size();
  if (a.mountpoint.size() != b.mountpoint.size()) return a.mountpoint.size() < b.mountpoint.size();
  return a.mountpoint < b.mountpoint;
}

struct Candidate {
  const Mount* mount;
  MountIdentity identity;
  std::string file_system;
};

std::string why_unknown(const Candidate& candidate) {
  const std::string& type = candidate.mount->fs_type;
  const bool is_fuse = type == "fuse" || type.starts_with("fuse.");
  if (!is_fuse || is_network(type) || !candidate.identity.devices.empty()) return {};
  return "which disk is behind " + type + " is not known";
}

}  // namespace

Result<Survey> survey(const std::filesystem::path& procfs, const Roots& roots) {
  const auto mounts = read_mountinfo(procfs);
  if (!mounts) return Unexpected(mounts.error());
  Survey found;
  const auto leave_out = [&found](const Mount& mount, std::string why) {
    found.left_out.push_back({mount.mountpoint, mount.fs_type, mount.source, std::move(why)});
  };
  std::vector<Candidate> candidates;
  std::map<std::string, const Mount*> best;  // by file system
  for (const Mount& mount : *mounts) {
    std::string why = why_not(mount, *mounts);
    if (why.empty()) {
      Candidate candidate{&mount, resolve(mount, *mounts, roots), {}};
      why = why_unknown(candidate);
      candidate.file_system = file_system_of(mount, candidate.identity);
      if (why.empty()) candidates.push_back(std::move(candidate));
    }
    if (!why.empty()) leave_out(mount, std::move(why));
  }
  for (const Candidate& candidate : candidates) {
    const Mount*& known = best[candidate.file_system];
    if (known == nullptr || is_better(*candidate.mount, *known)) known = candidate.mount;
  }
  for (Candidate& candidate : candidates) {
    const Mount* const shown = best[candidate.file_system];
    if (shown == candidate.mount)
      found.mounts.push_back(std::move(candidate.identity));
    else
      leave_out(*candidate.mount, "it is the same file system as " + shown->mountpoint);
  }
  return found;
}

}  // namespace storage_probe::targets
