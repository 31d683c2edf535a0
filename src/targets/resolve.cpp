// SPDX-License-Identifier: Apache-2.0
#include "targets/resolve.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "targets/cloud.h"
#include "targets/server_volume.h"
#include "targets/sysfs.h"
#include "targets/volume.h"

namespace storage_probe::targets {
namespace {

using std::filesystem::path;

constexpr unsigned kMaxOverlays = 8;  // an overlay's upper directory may lie on an overlay

constexpr std::array<std::string_view, 15> kNetworkTypes{
    "nfs",        "nfs4",      "cifs",   "smb3",      "smbfs",
    "lustre",     "ceph",      "9p",     "glusterfs", "fuse.glusterfs",
    "fuse.sshfs", "fuse.ceph", "beegfs", "gpfs",      "fuse.ceph-fuse",
};

// What several hosts can mount at once: network file systems, and those of clusters.
constexpr std::array<std::string_view, 15> kSharedTypes{
    "nfs",    "nfs4", "cifs",      "smb3",      "smbfs",
    "lustre", "ceph", "fuse.ceph", "glusterfs", "fuse.glusterfs",
    "beegfs", "gpfs", "gfs2",      "ocfs2",     "fuse.ceph-fuse"};

constexpr std::array<std::string_view, 30> kNoDiskTypes{
    "tmpfs",       "ramfs",  "devtmpfs",  "squashfs",  "proc",    "sysfs",      "cgroup",
    "cgroup2",     "devpts", "mqueue",    "hugetlbfs", "debugfs", "tracefs",    "securityfs",
    "pstore",      "bpf",    "configfs",  "fusectl",   "autofs",  "rpc_pipefs", "efivarfs",
    "binfmt_misc", "nsfs",   "selinuxfs", "cramfs",    "romfs",   "fuse.lxcfs", "fuse.gvfsd-fuse",
    "fuse.portal", "rootfs",
};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& types, std::string_view fs_type) {
  return std::find(types.begin(), types.end(), fs_type) != types.end();
}

bool is_anonymous(std::string_view device) { return device.starts_with("0:"); }

// The mount that holds an overlay's written files; null where that is not visible from here (the
// overlay of a container names paths of its host).
const Mount* upper_mount(const Mount& overlay, std::span<const Mount> mounts) {
  const std::string upper = find_option(overlay.super_options, "upperdir");
  if (!upper.starts_with('/')) return nullptr;
  const Mount* const found = find_by_path(mounts, path(upper));
  return found == &overlay ? nullptr : found;
}

// All members of the btrfs that `number` is one of: the mount's source names only one.
std::vector<std::string> btrfs_members(const path& sysfs, const std::string& number) {
  std::error_code error;
  const auto top = find_block_device(sysfs, number);
  std::filesystem::directory_iterator uuid(sysfs / "fs/btrfs", error);
  for (; top && !error && uuid != std::filesystem::directory_iterator(); uuid.increment(error)) {
    const path devices = uuid->path() / "devices";
    std::error_code ignored;
    if (!std::filesystem::exists(devices / top->name, ignored)) continue;
    std::vector<std::string> members;
    std::filesystem::directory_iterator member(devices, ignored);
    for (; !ignored && member != std::filesystem::directory_iterator(); member.increment(ignored))
      if (auto of_member = number_of(sysfs, member->path().filename().string()); !of_member.empty())
        members.push_back(std::move(of_member));
    std::sort(members.begin(), members.end());
    return members;
  }
  return {number};
}

// The block devices that the file system itself was made on.
std::vector<std::string> base_devices(const Mount& mount, const path& sysfs) {
  if (!is_anonymous(mount.device)) return {mount.device};
  std::vector<std::string> numbers;
  std::string_view sources = mount.source;  // bcachefs: "/dev/sda:/dev/sdb"
  while (!sources.empty()) {
    const std::size_t end = std::min(sources.find(':'), sources.size());
    const std::string_view source = sources.substr(0, end);
    if (source.starts_with("/dev/"))
      if (std::string number = number_of(sysfs, source); !number.empty())
        numbers.push_back(std::move(number));
    sources.remove_prefix(std::min(end + 1, sources.size()));
  }
  if (mount.fs_type == "btrfs" && numbers.size() == 1) return btrfs_members(sysfs, numbers[0]);
  return numbers;
}

void add_device(MountIdentity& identity, const BlockDevice& found, bool is_leaf) {
  for (Device& known : identity.devices)
    if (known.number == found.number) {
      known.leaf = known.leaf || is_leaf;
      return;
    }
  Device device;
  device.name = found.name;
  device.number = found.number;
  device.leaf = is_leaf;
  device.size = found.size;
  identity.devices.push_back(std::move(device));
}

// The top of the stack first, then the leaves; a plain disk is both and listed once.
void add_stack(MountIdentity& identity, const std::vector<std::string>& tops, const path& sysfs) {
  for (const std::string& number : tops)
    if (const auto top = find_block_device(sysfs, number)) add_device(identity, *top, false);
  if (!identity.devices.empty()) {
    identity.device = identity.devices.front().name;
    identity.size = identity.devices.front().size;
  }
  for (const std::string& number : tops)
    for (const BlockDevice& leaf : find_leaves(sysfs, number)) add_device(identity, leaf, true);
}

// The one that all leaves have; empty where they differ.
std::string common(const std::vector<VolumeFacts>& leaves, std::string VolumeFacts::*member) {
  const bool is_one = std::all_of(leaves.begin(), leaves.end(), [&](const VolumeFacts& leaf) {
    return leaf.*member == leaves.front().*member;
  });
  return leaves.empty() || !is_one ? std::string() : leaves.front().*member;
}

// Which volumes the leaves are. Several paths to one volume (multipath) are that volume; a stack of
// several volumes has no id of its own.
void add_volumes(MountIdentity& identity, const path& sysfs) {
  const std::string cloud = cloud_of(sysfs);
  std::vector<VolumeFacts> leaves;
  Bytes size{};
  for (Device& device : identity.devices) {
    if (!device.leaf) continue;
    leaves.push_back(volume_of(sysfs, device.number, cloud));
    device.volume_id = leaves.back().id;
    size = device.size;
  }
  identity.volume_type = common(leaves, &VolumeFacts::type);
  identity.provider = common(leaves, &VolumeFacts::provider);
  identity.volume_id = common(leaves, &VolumeFacts::id);
  identity.backend = identity.volume_id;
  // A partition, or what LVM cuts out of a volume, has the volume's promise: by its whole size.
  const bool is_one = leaves.size() == 1 || !identity.volume_id.empty();
  if (is_one) identity.size = size;
}

void add_server(MountIdentity& identity, const Mount& mount, const path& run) {
  const VolumeFacts facts = server_volume(mount, run);
  identity.volume_id = facts.id;
  identity.volume_type = facts.type;
  identity.provider = facts.provider;
  identity.backend = facts.id.empty() ? server_of(mount) : facts.id;
}

}  // namespace

MountIdentity resolve(const Mount& mount, std::span<const Mount> mounts, const Roots& roots) {
  MountIdentity identity;
  identity.mountpoint = mount.mountpoint;
  identity.fs_type = mount.fs_type;
  identity.source = mount.source;
  const Mount* below = &mount;
  for (unsigned level = 0; below->fs_type == "overlay" && level < kMaxOverlays; ++level) {
    below = upper_mount(*below, mounts);
    if (below == nullptr) return identity;
  }
  if (is_network(below->fs_type)) {
    add_server(identity, *below, roots.run);
    return identity;
  }
  add_stack(identity, base_devices(*below, roots.sysfs), roots.sysfs);
  add_volumes(identity, roots.sysfs);
  return identity;
}

MountIdentity resolve_device(std::string_view number, const path& device, const path& sysfs) {
  MountIdentity identity;
  identity.source = device.string();
  add_stack(identity, {std::string(number)}, sysfs);
  add_volumes(identity, sysfs);
  return identity;
}

std::vector<std::string> leaf_numbers(const MountIdentity& identity) {
  std::vector<std::string> numbers;
  for (const Device& device : identity.devices)
    if (device.leaf) numbers.push_back(device.number);
  return numbers;
}

bool is_network(std::string_view fs_type) { return contains(kNetworkTypes, fs_type); }

bool is_shared(const Target& target, std::string_view fs_type) {
  switch (target.shared) {
    case Shared::yes:
      return true;
    case Shared::no:
      return false;
    case Shared::automatic:
      break;
  }
  return contains(kSharedTypes, fs_type);
}

bool not_a_disk(std::string_view fs_type) { return contains(kNoDiskTypes, fs_type); }

std::string why_not_a_disk(const Mount& mount, std::span<const Mount> mounts) {
  std::string why = mount.fs_type;
  const Mount* below = &mount;
  for (unsigned level = 0; below->fs_type == "overlay" && level < kMaxOverlays; ++level) {
    below = upper_mount(*below, mounts);
    if (below == nullptr) return {};
    why += " on " + below->fs_type;
  }
  return not_a_disk(below->fs_type) ? why : std::string();
}

}  // namespace storage_probe::targets
