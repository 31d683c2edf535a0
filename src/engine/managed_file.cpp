// SPDX-License-Identifier: Apache-2.0
#include "engine/managed_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>
#include <variant>

#include "engine/beneath.h"
#include "engine/buffer_pool.h"

namespace storage_probe::engine {
namespace {

using Stat = struct ::stat;

// https://bford.info/cachedir/
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# The probe file of storage_probe_exporter is noise: not worth a backup.\n";

Failure conflict(const std::string& path, const std::string& what) {
  return fail(TargetState::file_conflict,
              path + " " + what +
                  ", not our probe file: it is left untouched; rename it, or remove it with "
                  "cleanup --force " +
                  path);
}

std::string kind_of(const Stat& facts) {
  if (S_ISLNK(facts.st_mode)) return "is a symbolic link";
  if (S_ISDIR(facts.st_mode)) return "is a directory";
  if (S_ISFIFO(facts.st_mode)) return "is a fifo";
  if (!S_ISREG(facts.st_mode)) return "is no regular file";
  return "has " + std::to_string(facts.st_nlink) + " hard links";
}

bool is_plain_file(const Stat& facts) { return S_ISREG(facts.st_mode) && facts.st_nlink == 1; }

bool is_same_file(const Stat& a, const Stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Failure directory_failure(const CheckedDirectory& target, int errno_value,
                          const std::filesystem::path& path) {
  const std::string name = path.string();
  if (errno_value == ELOOP || errno_value == ENOTDIR)
    return fail(TargetState::file_conflict,
                name + " is no directory, or reached through a symbolic link: remove or rename it");
  if (errno_value == EXDEV)
    return fail(TargetState::wrong_mount,
                name + " is not on the target's file system: file.directory must be");
  Failure failure = fail_with_errno(errno_value, "open " + name);
  if (failure.code == to_text(TargetState::permission_denied))
    failure.message += std::string(": make the directory for this user") +
                       (target.mount().is_network ? " on the server (root_squash?)" : "");
  return failure;
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos && name.front() != '.';
}

UniqueFd open_directory(const CheckedDirectory& target, const std::string& path) {
  return open_beneath(target.fd(), path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

// mkdir for the last component; those before it are the operator's to make. 0 or an errno.
int make_directory(const CheckedDirectory& target, const std::filesystem::path& path) {
  const std::string parent_path = path.has_parent_path() ? path.parent_path().string() : ".";
  const UniqueFd parent = open_beneath(target.fd(), parent_path, O_PATH | O_DIRECTORY);
  if (!parent) return errno;
  if (::mkdirat(parent.get(), path.filename().c_str(), 0700) != 0 && errno != EEXIST) return errno;
  return 0;
}

int rename_within(int directory, const std::string& from, const std::string& to, unsigned flags) {
  return ::renameat2(directory, from.c_str(), directory, to.c_str(), flags);
}

// Network and FUSE file systems know plain renames only.
bool is_unsupported(int errno_value) {
  return errno_value == EINVAL || errno_value == ENOSYS || errno_value == EOPNOTSUPP;
}

}  // namespace

Bytes header_area(Bytes alignment) { return std::max(alignment, Bytes{kHeaderBytes}); }

ManagedFile::ManagedFile(const CheckedDirectory& target, const FileRequest& request,
                         UniqueFd directory)
    : target_(&target),
      directory_(std::move(directory)),
      path_(target.path() / request.spec.directory),
      name_(request.name() + ".dat"),
      new_name_(name_ + ".new"),
      is_shared_(request.is_shared) {}

Checked<std::optional<ManagedFile>> ManagedFile::open(const CheckedDirectory& target,
                                                      const FileRequest& request) {
  if (!is_file_name(request.host_id))
    return fail(TargetState::file_conflict,
                "the host id '" + request.host_id + "' cannot name a probe file: set --host.id");
  UniqueFd fd = open_directory(target, request.spec.directory);
  if (!fd && errno == ENOENT) return std::optional<ManagedFile>();
  if (!fd) return directory_failure(target, errno, target.path() / request.spec.directory);
  return std::optional(ManagedFile(target, request, std::move(fd)));
}

Checked<ManagedFile> ManagedFile::create(const CheckedDirectory& target,
                                         const FileRequest& request) {
  auto file = open(target, request);
  if (!file) return file.failure();
  if (*file) {
    (*file)->tag(request);
    return **std::move(file);
  }
  const std::filesystem::path path = target.path() / request.spec.directory;
  if (const int error = make_directory(target, request.spec.directory); error != 0)
    return directory_failure(target, error, path);
  file = open(target, request);
  if (!file) return file.failure();
  if (!*file) return directory_failure(target, ENOENT, path);
  (*file)->tag(request);
  return **std::move(file);
}

void ManagedFile::tag(const FileRequest& request) const {
  // A directory that the operator chose is not ours to keep out of backups.
  if (request.spec.directory_is_explicit) return;
  const UniqueFd fd(::openat(directory_.get(), kCacheTagName,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Without the tag a backup is larger, and that is all.
  if (fd) [[maybe_unused]]
    const ssize_t ignored = ::write(fd.get(), kTag.data(), kTag.size());
}

bool has_our_cache_tag(int directory) {
  const UniqueFd fd(
      ::openat(directory, kCacheTagName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  Stat facts{};
  if (!fd || ::fstat(fd.get(), &facts) != 0 || !is_plain_file(facts)) return false;
  std::array<char, kTag.size() + 1> text{};
  const ssize_t got = ::read(fd.get(), text.data(), text.size());
  return got >= 0 && std::string_view(text.data(), static_cast<std::size_t>(got)) == kTag;
}

Checked<std::optional<Stat>> ManagedFile::look_at(const std::string& name) const {
  Stat facts{};
  if (::fstatat(directory_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
    return std::optional(facts);
  if (errno == ENOENT) return std::optional<Stat>();
  return fail_with_errno(errno, "stat " + (path_ / name).string());
}

bool ManagedFile::is_file(const std::string& name, const Stat& facts) const {
  const auto found = look_at(name);
  return found && *found && is_same_file(**found, facts);
}

Checked<std::optional<ManagedFile::Found>> ManagedFile::find() const {
  const auto seen = look_at(name_);
  if (!seen) return seen.failure();
  if (!*seen) return std::optional<Found>();
  if (!is_plain_file(**seen)) return conflict(final_path(), kind_of(**seen));
  Found found{};
  found.fd = UniqueFd(::openat(directory_.get(), name_.c_str(),
                               O_RDONLY | O_DIRECT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const OpenFile file = named(found.fd.get());
  if (!found.fd) return open_failure(errno, file);
  if (::fstat(file.fd, &found.facts) != 0) return fail_with_errno(errno, "stat " + file.name);
  if (!is_plain_file(found.facts)) return conflict(file.name, kind_of(found.facts));
  const auto alignment = direct_io_alignment(file, target_->mount().logical_block_size);
  if (!alignment) return alignment.failure();
  found.alignment = *alignment;
  const Bytes area = header_area(*alignment);
  if (static_cast<std::uint64_t>(found.facts.st_size) < area.value)
    return conflict(file.name, "is shorter than a header");
  const auto buffer = BufferPool::create(1, area);
  if (!buffer) return fail(TargetState::io_error, buffer.error().message);
  if (auto failure = direct_read(file, buffer->slot(0), 0)) return *std::move(failure);
  const auto header = decode_header(buffer->slot(0));
  if (const auto* fault = std::get_if<HeaderFault>(&header))
    return conflict(file.name, *fault == HeaderFault::newer_version
                                   ? "was made by a newer version of this program"
                                   : "has no valid header");
  found.header = std::get<ProbeHeader>(header);
  const Bytes size{static_cast<std::uint64_t>(found.facts.st_size)};
  found.is_sound = found.header.size <= size && !has_holes(file, found.header.size);
  found.is_whole = found.is_sound && found.header.is_complete && found.header.size == size;
  return std::optional(std::move(found));
}

Checked<UniqueFd> ManagedFile::open_again(int file, Access access) const {
  const int flags = access == Access::write ? O_RDWR : O_RDONLY;
  UniqueFd fd(::openat(directory_.get(), name_.c_str(),
                       flags | O_DIRECT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return open_failure(errno, named(-1));
  Stat before{};
  Stat after{};
  if (::fstat(file, &before) != 0 || ::fstat(fd.get(), &after) != 0)
    return fail_with_errno(errno, "stat " + final_path());
  if (!is_same_file(before, after))
    return conflict(final_path(), "was swapped before it was opened");
  return fd;
}

Checked<UniqueFd> ManagedFile::create_new() const {
  const OpenFile file = named_new(-1);
  const auto leftover = look_at(new_name_);
  if (!leftover) return leftover.failure();
  if (*leftover && !is_plain_file(**leftover)) return conflict(file.name, kind_of(**leftover));
  if (*leftover && ::unlinkat(directory_.get(), new_name_.c_str(), 0) != 0)
    return fail_with_errno(errno, "remove " + file.name);
  UniqueFd fd(::openat(directory_.get(), new_name_.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_NOFOLLOW | O_CLOEXEC, 0600));
  // The hosts of a fleet may have one group and not one user.
  if (fd && is_shared_) [[maybe_unused]]
    const int ignored = ::fchmod(fd.get(), 0660);
  if (fd) return fd;
  const int error = errno;
  // The kernel creates the file before it finds that the file system has no direct I/O.
  if (error == EINVAL) ::unlinkat(directory_.get(), new_name_.c_str(), 0);
  return open_failure(error, file);
}

void ManagedFile::discard(int file) const {
  Stat facts{};
  if (::fstat(file, &facts) == 0 && is_file(new_name_, facts))
    ::unlinkat(directory_.get(), new_name_.c_str(), 0);
}

// Whatever has the final name by now and is not `older` must survive: where the kernel can, the
// rename itself checks that.
std::optional<Failure> ManagedFile::rename_new(const Found* older) const {
  const int directory = directory_.get();
  const unsigned flags = older == nullptr ? RENAME_NOREPLACE : RENAME_EXCHANGE;
  if (rename_within(directory, new_name_, name_, flags) == 0) {
    if (older == nullptr) return std::nullopt;
    if (is_file(new_name_, older->facts)) {
      ::unlinkat(directory, new_name_.c_str(), 0);
      return std::nullopt;
    }
    rename_within(directory, new_name_, name_, RENAME_EXCHANGE);
    return conflict(final_path(), "was swapped while the new one was laid out");
  }
  if (errno == EEXIST) return conflict(final_path(), "appeared while it was laid out");
  if (!is_unsupported(errno)) return fail_with_errno(errno, "rename to " + final_path());
  const auto seen = look_at(name_);
  if (!seen) return seen.failure();
  if (*seen && (older == nullptr || !is_same_file(**seen, older->facts)))
    return conflict(final_path(), "appeared while it was laid out");
  if (::renameat(directory, new_name_.c_str(), directory, name_.c_str()) == 0) return std::nullopt;
  return fail_with_errno(errno, "rename to " + final_path());
}

std::optional<Failure> ManagedFile::publish(int file, const Found* older) const {
  Stat facts{};
  if (::fstat(file, &facts) != 0) return fail_with_errno(errno, "stat " + final_path());
  if (!is_file(new_name_, facts))
    return conflict(final_path() + ".new", "was swapped while it was laid out");
  if (auto failure = rename_new(older)) return failure;
  if (!is_file(name_, facts)) return conflict(final_path(), "was swapped while it was laid out");
  if (::fsync(directory_.get()) != 0 && errno != EINVAL)
    return fail_with_errno(errno, "fsync " + path_.string());
  return std::nullopt;
}

}  // namespace storage_probe::engine
