// SPDX-License-Identifier: Apache-2.0
#include "worker/target_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

namespace storage_probe::worker {

Result<UniqueFd> lock_target(const std::filesystem::path& directory, const std::string& target) {
  const std::string context = "lock of target " + target;
  if (target.empty() || target.front() == '.' || target.find('/') != std::string::npos) {
    return Unexpected(Error{Errc::invalid, context + ": not a file name"});
  }
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Unexpected(system_error(error.value()).in("make " + directory.string()).in(context));
  }
  const std::string path = directory / (target + ".lock");
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Unexpected(system_error(errno).in("open " + path).in(context));
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
