// SPDX-License-Identifier: Apache-2.0
#include "engine/probe_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "engine/beneath.h"
#include "engine/direct_io.h"
#include "engine/leftovers.h"
#include "engine/managed_file.h"
#include "engine/space.h"

namespace storage_probe::engine {
namespace {

constexpr Bytes kSmallestExisting = kMiB;

Failure device_failure(int errno_value, const std::string& name) {
  switch (errno_value) {
    case ENOENT:
    case ENXIO:
    case ENODEV:
    case ENOMEDIUM:
      return fail(TargetState::not_mounted, name + " does not exist: attach the volume");
    case EACCES:
    case EPERM: {
      Failure failure = fail_with_errno(errno_value, "open " + name);
      failure.message +=
          ": give it to this user for reading (a udev rule, or group disk), and to "
          "the service by DeviceAllow";
      return failure;
    }
  }
  return open_failure(errno_value, {-1, name, "block device"});
}

Failure existing_failure(int errno_value, const OpenFile& file) {
  if (errno_value == ELOOP || errno_value == EXDEV)
    return fail(TargetState::file_conflict,
                file.name +
                    " leads out of the target or through a symbolic link: give a file "
                    "below it");
  if (errno_value == ENOENT || errno_value == ENOTDIR)
    return fail(TargetState::file_conflict, file.name + " does not exist: file.path must");
  return open_failure(errno_value, file);
}

std::string number_of(dev_t device) {
  return std::to_string(gnu_dev_major(device)) + ":" + std::to_string(gnu_dev_minor(device));
}

}  // namespace

Checked<std::optional<ProbeFile>> ProbeFile::find(const CheckedDirectory& directory,
                                                  const FileRequest& request) {
  const auto managed = ManagedFile::open(directory, request);
  if (!managed) return managed.failure();
  if (!*managed) return std::optional<ProbeFile>();
  auto found = (*managed)->find();
  if (!found) return found.failure();
  if (!*found && !request.is_shared && adopt_leftover(**managed)) {
    found = (*managed)->find();
    if (!found) return found.failure();
  }
  if (!*found || !(*found)->is_whole) return std::optional<ProbeFile>();
  const Bytes size = (*found)->header.size;
  const auto fits = is_size_wanted(directory, request, size);
  if (!fits) return fits.failure();
  if (!*fits) return std::optional<ProbeFile>();
  UniqueFd fd;
  if (request.access == Access::write) {
    auto writable = (*managed)->open_again((*found)->fd.get(), Access::write);
    if (!writable) return writable.failure();
    fd = *std::move(writable);
  } else {
    fd = std::move((*found)->fd);
  }
  const Bytes alignment = (*found)->alignment;
  return std::optional(ProbeFile(std::move(fd), size, header_area(alignment), alignment));
}

Checked<ProbeFile> ProbeFile::open_existing(const CheckedDirectory& directory,
                                            const ProbeFileSpec& spec) {
  OpenFile file{-1, (directory.path() / spec.path).string(), directory.mount().identity.fs_type};
  // Looked at before it is opened: opening a fifo or a tape is not without effect.
  const UniqueFd seen = open_beneath(directory.fd(), spec.path, O_PATH | O_NOFOLLOW);
  if (!seen) return existing_failure(errno, file);
  struct ::stat facts {};
  if (::fstat(seen.get(), &facts) != 0) return fail_with_errno(errno, "stat " + file.name);
  if (!S_ISREG(facts.st_mode))
    return fail(TargetState::file_conflict, file.name + " is no regular file");
  UniqueFd fd =
      open_beneath(directory.fd(), spec.path, O_RDONLY | O_DIRECT | O_NOFOLLOW | O_NONBLOCK);
  if (!fd) return existing_failure(errno, file);
  file.fd = fd.get();
  if (::fstat(file.fd, &facts) != 0) return fail_with_errno(errno, "stat " + file.name);
  const auto alignment = direct_io_alignment(file, directory.mount().logical_block_size);
  if (!alignment) return alignment.failure();
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  const Bytes size{bytes / alignment->value * alignment->value};
  if (size < kSmallestExisting)
    return fail(TargetState::file_conflict,
                file.name + " is smaller than " + to_text(kSmallestExisting));
  const bool is_sparse = storage_probe::engine::has_holes(file, Bytes{bytes});
  ProbeFile existing(std::move(fd), size, Bytes{}, *alignment);
  existing.has_holes_ = is_sparse;
  return existing;
}

Checked<ProbeFile> ProbeFile::open_device(const std::filesystem::path& device) {
  const std::string name = device.string();
  struct ::stat facts {};
  if (::stat(name.c_str(), &facts) != 0) return device_failure(errno, name);
  if (!S_ISBLK(facts.st_mode)) return fail(TargetState::not_a_disk, name + " is no block device");
  UniqueFd fd(::open(name.c_str(), O_RDONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return device_failure(errno, name);
  if (::fstat(fd.get(), &facts) != 0) return fail_with_errno(errno, "stat " + name);
  if (!S_ISBLK(facts.st_mode)) return fail(TargetState::not_a_disk, name + " is no block device");
  int logical_block_size = 512;
  std::uint64_t bytes = 0;
  if (::ioctl(fd.get(), BLKSSZGET, &logical_block_size) != 0 ||
      ::ioctl(fd.get(), BLKGETSIZE64, &bytes) != 0)
    return fail_with_errno(errno, "size of " + name);
  const Bytes alignment{static_cast<std::uint64_t>(logical_block_size)};
  if (bytes == 0)
    return fail(TargetState::not_mounted, name + " has no size: attach the volume or a medium");
  ProbeFile file(std::move(fd), {bytes / alignment.value * alignment.value}, Bytes{}, alignment);
  file.device_number_ = number_of(facts.st_rdev);
  return file;
}

}  // namespace storage_probe::engine
