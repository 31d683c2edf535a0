// SPDX-License-Identifier: Apache-2.0
#include "engine/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

namespace storage_probe::engine {
namespace {

UniqueFd walk(int directory, const std::filesystem::path& path, int flags, mode_t mode) {
  UniqueFd parent;  // empty: `directory` itself, which is not ours to close
  for (auto part = path.begin(); part != path.end();) {
    const std::string name = part->string();
    const bool is_last = ++part == path.end();
    if (name == ".." || name.starts_with('/') || name.empty()) {
      errno = EXDEV;
      return {};
    }
    const int step = is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    parent = UniqueFd(
        ::openat(parent ? parent.get() : directory, name.c_str(), step | O_NOFOLLOW, mode));
    if (!parent) return {};
  }
  return parent;
}

}  // namespace

UniqueFd open_beneath(int directory, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof(how))));
  // EPERM: the seccomp filter of an older container runtime, which does not know the call.
  if (fd || (errno != ENOSYS && errno != EPERM)) return fd;
  return walk(directory, path, flags | O_CLOEXEC, mode);
}

}  // namespace storage_probe::engine
