// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/unique_fd.h"
#include "base/units.h"

namespace storage_probe {
namespace {

using std::filesystem::path;

Unexpected failed(const char* action, const path& file) {
  return Unexpected(system_error(errno).in(std::string(action) + " " + file.string()));
}

Result<void> write_all(int fd, std::string_view text, const path& file) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write", file);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return failed("fsync", file);
  return {};
}

Result<void> write_new_file(const path& file, std::string_view text) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return failed("create", file);
  return write_all(fd.get(), text, file);
}

// Makes a rename in `directory` durable.
Result<void> sync_directory(const path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return failed("open", directory);
  if (::fsync(fd.get()) != 0) return failed("fsync", directory);
  return {};
}

}  // namespace

Result<std::string> read_file(const path& file, std::size_t limit) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return failed("open", file);
  std::string text;
  std::array<char, 16384> block{};
  for (;;) {
    // One byte more than allowed, to see that there is more. The kernel's files have no size to ask
    // for beforehand.
    const std::size_t wanted = std::min(block.size() - 1, limit - text.size()) + 1;
    const ssize_t got = ::read(fd.get(), block.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", file);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > limit)
      return Unexpected(
          Error{Errc::exhausted, "longer than " + to_text(Bytes{limit})}.in(file.string()));
  }
}

Result<void> write_file_atomically(const path& file, std::string_view text) {
  path fresh = file;
  fresh += ".new";
  // A leftover of a process that was killed; O_EXCL then refuses whatever appears in between.
  ::unlink(fresh.c_str());
  if (auto written = write_new_file(fresh, text); !written) {
    ::unlink(fresh.c_str());
    return written;
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) {
    const Unexpected error = failed("rename to", file);
    ::unlink(fresh.c_str());
    return error;
  }
  return sync_directory(file.has_parent_path() ? file.parent_path() : path("."));
}

}  // namespace storage_probe
