// SPDX-License-Identifier: Apache-2.0
#include "engine/lease_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "base/units.h"

namespace storage_probe::engine {
namespace {

using Stat = struct ::stat;

constexpr const char* kName = "lease";
constexpr std::chrono::seconds kPatience{2};
constexpr std::chrono::milliseconds kPause{10};
constexpr Bytes kMostRead{2 * kMiB.value};
// Far behind the end of any lease.
constexpr off_t kTurnAt = off_t{1} << 40;
constexpr off_t kBytesAt = kTurnAt + 1;
// The hosts of a fleet may have one group and not one user.
constexpr mode_t kMode = 0660;

bool is_plain_file(const Stat& facts) { return S_ISREG(facts.st_mode) && facts.st_nlink == 1; }

Failure not_ours(const std::string& name) {
  return fail(TargetState::file_conflict, name +
                                              " is not the lease of this program but a link, a "
                                              "directory or a special file: it is left untouched; "
                                              "remove or rename it");
}

// The cure for what locks fail with where a file system has none.
Failure no_locks(int errno_value, const std::string& name) {
  Failure failure = fail_with_errno(errno_value, "lock " + name);
  failure.message +=
      ": hosts that share a mount take turns by locks; mount it with them, or set shared: false";
  return failure;
}

UniqueFd open_existing(int directory) {
  return UniqueFd(
      ::openat(directory, kName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

UniqueFd make(int directory) {
  UniqueFd fd(
      ::openat(directory, kName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  // In spite of the umask; a server that does not let us leaves it to its own rules.
  if (fd) [[maybe_unused]]
    const int ignored = ::fchmod(fd.get(), kMode);
  return fd;
}

}  // namespace

Checked<LeaseFile> LeaseFile::open(const ManagedFile& beside) {
  std::string name = (beside.directory_path() / kName).string();
  UniqueFd own(::fcntl(beside.directory(), F_DUPFD_CLOEXEC, 0));
  const int directory = own.get();
  Stat facts{};
  // Looked at before it is opened: opening a fifo or a tape is not without effect.
  if (::fstatat(directory, kName, &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!is_plain_file(facts)) return not_ours(name);
  } else if (errno != ENOENT) {
    return fail_with_errno(errno, "stat " + name);
  }
  UniqueFd fd = open_existing(directory);
  if (!fd && errno == ENOENT) fd = make(directory);
  if (!fd && errno == EEXIST) fd = open_existing(directory);  // another host was faster
  if (!fd && (errno == ELOOP || errno == EISDIR)) return not_ours(name);
  if (!fd) {
    Failure failure = fail_with_errno(errno, "open " + name);
    if (failure.code == to_text(TargetState::permission_denied))
      failure.message += ": all hosts that share the mount need one user or group";
    return failure;
  }
  LeaseFile file(std::move(own), std::move(fd), std::move(name));
  if (auto failure = file.check()) return *std::move(failure);
  return file;
}

// What is open is what others find under the name: else each would have a lease of its own.
std::optional<Failure> LeaseFile::check() const {
  Stat named{};
  Stat opened{};
  if (::fstat(fd_.get(), &opened) != 0) return fail_with_errno(errno, "stat " + name_);
  if (!S_ISREG(opened.st_mode)) return not_ours(name_);
  if (::fstatat(directory_.get(), kName, &named, AT_SYMLINK_NOFOLLOW) != 0)
    return fail_with_errno(errno, "stat " + name_);
  if (!is_plain_file(named)) return not_ours(name_);
  if (named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) return std::nullopt;
  return fail(TargetState::file_conflict, name_ + " was replaced while it was in use");
}

Checked<bool> LeaseFile::lock(Range range) const {
  struct ::flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = range == Range::turn ? kTurnAt : kBytesAt;
  wanted.l_len = 1;
  if (::fcntl(fd_.get(), F_OFD_SETLK, &wanted) == 0) return true;
  if (errno == EAGAIN || errno == EACCES) return false;
  return no_locks(errno, name_);
}

void LeaseFile::unlock(Range range) const {
  struct ::flock wanted {};
  wanted.l_type = F_UNLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = range == Range::turn ? kTurnAt : kBytesAt;
  wanted.l_len = 1;
  ::fcntl(fd_.get(), F_OFD_SETLK, &wanted);
}

Checked<bool> LeaseFile::take_turn() const { return lock(Range::turn); }

void LeaseFile::release_turn() const { unlock(Range::turn); }

Checked<bool> LeaseFile::update(const Change& change) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto locked = lock(Range::bytes);
  while (locked && !*locked && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kPause);
    locked = lock(Range::bytes);
  }
  if (!locked || !*locked) return locked;
  std::optional<Failure> failure = check();
  if (!failure) {
    const auto bytes = read();
    if (!bytes) {
      failure = bytes.failure();
    } else if (const auto changed = change(*bytes)) {
      failure = write(*changed);
    }
  }
  unlock(Range::bytes);
  if (failure) return *std::move(failure);
  return true;
}

Checked<std::string> LeaseFile::read() const {
  std::string bytes(kMostRead.value, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got =
        ::pread(fd_.get(), bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_with_errno(errno, "read " + name_);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

std::optional<Failure> LeaseFile::write(std::string_view bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put =
        ::pwrite(fd_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_with_errno(errno, "write " + name_);
    done += static_cast<std::size_t>(put);
  }
  if (::fsync(fd_.get()) != 0) return fail_with_errno(errno, "fsync " + name_);
  return std::nullopt;
}

}  // namespace storage_probe::engine
