// SPDX-License-Identifier: Apache-2.0
#include "engine/checked.h"

#include <unistd.h>

#include <cerrno>

#include "base/result.h"

namespace storage_probe::engine {
namespace {

TargetState state_of(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return TargetState::no_space;
    case EROFS:
      return TargetState::read_only;
    case EACCES:
    case EPERM:
      return TargetState::permission_denied;
  }
  return TargetState::io_error;
}

// What the operator can do about it; empty where the text of the errno says enough.
std::string cure_of(int errno_value) {
  switch (errno_value) {
    case EDQUOT:
      return ": raise the quota of uid " + std::to_string(::geteuid()) +
             ", or set a smaller file.size";
    case EFBIG:
      return ": neither the file system nor the limits of this process (ulimit -f, LimitFSIZE) may "
             "be under file.size";
    case EACCES:
    case EPERM:
      return " for uid " + std::to_string(::geteuid());
  }
  return {};
}

}  // namespace

Failure fail(TargetState state, std::string message) {
  return {std::string(to_text(state)), std::move(message)};
}

Failure fail_with_errno(int errno_value, std::string_view what) {
  const Error error = system_error(errno_value).in(std::string(what));
  return fail(state_of(errno_value), error.message + cure_of(errno_value));
}

}  // namespace storage_probe::engine
