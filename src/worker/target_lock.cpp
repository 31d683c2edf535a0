// SPDX-License-Identifier: Apache-2.0
#include "worker/target_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace storage_probe::worker {
namespace {

// What root makes, for a command by hand, must not shut the exporter's own user out later.
void give_to_owner_of(const std::filesystem::path& parent, int fd) {
  struct ::stat owner {};
  struct ::stat made {};
  if (::geteuid() != 0 || ::stat(parent.c_str(), &owner) != 0 || ::fstat(fd, &made) != 0) return;
  // A second name would be that of somebody's file, linked here to be given away.
  if (S_ISREG(made.st_mode) && made.st_nlink != 1) return;
  [[maybe_unused]] const int ignored = ::fchown(fd, owner.st_uid, owner.st_gid);
}

}  // namespace

Result<UniqueFd> lock_target(const std::filesystem::path& directory, const std::string& target) {
  const std::string context = "lock of target " + target;
  if (target.empty() || target.front() == '.' || target.find('/') != std::string::npos) {
    return Unexpected(Error{Errc::invalid, context + ": not a file name"});
  }
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(directory, error);
  if (error) {
    return Unexpected(system_error(error.value()).in("make " + directory.string()).in(context));
  }
  if (is_new) {
    const UniqueFd made(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made) give_to_owner_of(directory.parent_path(), made.get());
  }
  const std::string path = directory / (target + ".lock");
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Unexpected(system_error(errno).in("open " + path).in(context));
  give_to_owner_of(directory, fd.get());
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return Unexpected(system_error(errno).in(context));
  return Unexpected(
      Error{Errc::busy, context + ": held by another process: a probe by hand, or a run of an "
                                  "earlier exporter that waits for the volume"});
}

Result<bool> is_locked(const std::filesystem::path& directory, const std::string& target) {
  const std::string path = directory / (target + ".lock");
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return false;
  if (!fd) return Unexpected(system_error(errno).in("open " + path));
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return false;
  if (errno == EWOULDBLOCK) return true;
  return Unexpected(system_error(errno).in("lock " + path));
}

}  // namespace storage_probe::worker
