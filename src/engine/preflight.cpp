// SPDX-License-Identifier: Apache-2.0
#include "engine/preflight.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace storage_probe::engine {
namespace {

// Names that a database has at the top of its data directory; `is_directory` where the name alone
// would say too little.
struct Landmark {
  const char* name;
  const char* database;
  bool is_directory = false;
};
constexpr std::array kLandmarks{
    Landmark{"PG_VERSION", "PostgreSQL"},
    Landmark{"ibdata1", "MySQL"},
    Landmark{"mysql.ibd", "MySQL"},
    Landmark{"WiredTiger", "MongoDB"},
    Landmark{"meta.properties", "Kafka"},
    Landmark{"recovery-point-offset-checkpoint", "Kafka"},
    Landmark{"replication-offset-checkpoint", "Kafka"},
    Landmark{"log-start-offset-checkpoint", "Kafka"},
    Landmark{"cleaner-offset-checkpoint", "Kafka"},
    Landmark{"member", "etcd", true},
};

// Without a final slash, which would make open follow a symbolic link.
std::filesystem::path normalised(const std::filesystem::path& path) {
  std::filesystem::path normal = path.lexically_normal();
  if (!normal.has_filename() && normal.has_relative_path()) normal = normal.parent_path();
  return normal;
}

Failure open_target_failure(int errno_value, const std::filesystem::path& path) {
  const std::string name = path.string();
  if (errno_value == ENOTDIR || errno_value == ELOOP) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::read_symlink(path, error);
    if (!error)
      return fail(TargetState::not_mounted, name + " is a symbolic link to " + real.string() +
                                                ": give the real path as the target's path");
    return fail(TargetState::not_mounted, name + " is no directory: nothing is mounted there");
  }
  if (errno_value == ENOENT)
    return fail(TargetState::not_mounted, name + " does not exist: create and mount it");
  return fail_with_errno(errno_value, "open " + name);
}

std::string describe(const MountIdentity& identity) {
  return identity.mountpoint + " (" + identity.fs_type + ", " + identity.source + ")";
}

std::string first_difference(const Expectation& expect, const MountIdentity& identity) {
  if (!expect.fs_type.empty() && expect.fs_type != identity.fs_type)
    return "fstype " + expect.fs_type;
  if (!expect.source.empty() && expect.source != identity.source) return "source " + expect.source;
  if (!expect.volume_id.empty() && expect.volume_id != identity.volume_id)
    return "volume_id " + expect.volume_id +
           (identity.volume_id.empty() ? " (the volume's own is unknown)"
                                       : " (this is " + identity.volume_id + ")");
  return {};
}

std::optional<Failure> check_expectation(const TargetDirectory& directory, const Target& target,
                                         const MountIdentity& identity) {
  const std::string path = directory.path.string();
  if (!target.expect.empty()) {
    const std::string difference = first_difference(target.expect, identity);
    if (difference.empty()) return std::nullopt;
    return fail(TargetState::wrong_mount,
                path + " is on " + describe(identity) + ", but expect says " + difference);
  }
  const bool is_mounted =
      directory.is_mount_root.value_or(identity.mountpoint == normalised(directory.path).string());
  if (target.any_directory || is_mounted) return std::nullopt;
  return fail(TargetState::not_mounted,
              path + " is on " + describe(identity) + ": mount it, or add expect");
}

}  // namespace

Checked<TargetDirectory> open_target(const std::filesystem::path& path) {
  TargetDirectory directory;
  directory.path = normalised(path);
  directory.fd =
      UniqueFd(::open(directory.path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.fd) return open_target_failure(errno, directory.path);
  struct ::statx facts {};
  if (::statx(directory.fd.get(), "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID, &facts) != 0) {
    if (errno == ENOSYS) return directory;
    return fail_with_errno(errno, "stat " + directory.path.string());
  }
  if ((facts.stx_mask & STATX_MNT_ID) != 0) directory.mount_id = facts.stx_mnt_id;
  if (facts.stx_dev_major != 0)
    directory.device =
        std::to_string(facts.stx_dev_major) + ":" + std::to_string(facts.stx_dev_minor);
  if ((facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
    directory.is_mount_root = (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return directory;
}

Checked<CheckedDirectory> check_mount(TargetDirectory directory, const Target& target,
                                      MountFacts mount) {
  if (auto failure = check_expectation(directory, target, mount.identity))
    return *std::move(failure);
  if (!mount.not_a_disk.empty())
    return fail(TargetState::not_a_disk,
                directory.path.string() + " is " + mount.not_a_disk + ", which is no disk");
  return CheckedDirectory(std::move(directory), std::move(mount));
}

std::optional<Failure> check_data_directory(const CheckedDirectory& directory,
                                            const ProbeFileSpec& spec) {
  if (spec.mode != ProbeFileSpec::Mode::managed || spec.directory_is_explicit) return std::nullopt;
  for (const Landmark& landmark : kLandmarks) {
    struct ::stat facts {};
    if (::fstatat(directory.fd(), landmark.name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
      // Without search permission nothing can be created either, and that failure says why.
      if (errno == ENOENT || errno == EACCES) continue;
      return fail_with_errno(errno, "stat " + (directory.path() / landmark.name).string());
    }
    if (landmark.is_directory && !S_ISDIR(facts.st_mode)) continue;
    return fail(TargetState::data_directory,
                directory.path().string() + " is a data directory of " + landmark.database +
                    " (it holds " + landmark.name +
                    "): set file.directory to another one on the same file system, file.mode to "
                    "existing, or probe the device");
  }
  return std::nullopt;
}

std::optional<Failure> check_writable(const CheckedDirectory& directory) {
  struct ::statvfs facts {};
  if (::fstatvfs(directory.fd(), &facts) != 0)
    return fail_with_errno(errno, "statvfs " + directory.path().string());
  if ((facts.f_flag & ST_RDONLY) == 0) return std::nullopt;
  return fail(TargetState::read_only, directory.path().string() +
                                          " is mounted read-only: file.mode existing reads a file "
                                          "that is there");
}

}  // namespace storage_probe::engine
