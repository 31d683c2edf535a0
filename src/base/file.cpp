// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/unique_fd.h"
#include "base/units.h"

namespace storage_probe {
namespace {

using Path = std::filesystem::path;

Unexpected failed(const char* action, const Path& path) {
  return Unexpected(system_error(errno).in(std::string(action) + " " + path.string()));
}

Result<void> write_all(int fd, std::string_view text, const Path& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return failed("fsync", path);
  return {};
}

Result<void> write_new_file(const Path& path, std::string_view text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failed("create", path);
  return write_all(fd.get(), text, path);
}

// Makes a rename in `directory` durable.
Result<void> sync_directory(const Path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return failed("open", directory);
  if (::fsync(fd.get()) != 0) return failed("fsync", directory);
  return {};
}

}  // namespace

Result<std::string> read_file(const Path& path, std::size_t limit) {
  // A FIFO in the file's place would block the open, and the caller with it.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return failed("open", path);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return failed("stat", path);
  // Reading a directory gives the usual error.
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return Unexpected(Error{Errc::invalid, "is no regular file"}.in("read " + path.string()));
  }
  std::string text;
  std::array<char, 16384> block{};
  for (;;) {
    // One byte more than allowed, to see that there is more. The kernel's files have no size to ask
    // for beforehand.
    const std::size_t wanted = std::min(block.size() - 1, limit - text.size()) + 1;
    const ssize_t got = ::read(fd.get(), block.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > limit)
      return Unexpected(
          Error{Errc::exhausted, "longer than " + to_text(Bytes{limit})}.in(path.string()));
  }
}

Result<void> write_file_atomically(const Path& path, std::string_view text) {
  Path fresh = path;
  fresh += ".new";
  // A leftover of a process that was killed; O_EXCL then refuses whatever appears in between.
  ::unlink(fresh.c_str());
  if (auto written = write_new_file(fresh, text); !written) {
    ::unlink(fresh.c_str());
    return written;
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const Unexpected error = failed("rename to", path);
    ::unlink(fresh.c_str());
    return error;
  }
  return sync_directory(path.has_parent_path() ? path.parent_path() : Path("."));
}

}  // namespace storage_probe
