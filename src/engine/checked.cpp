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

}  // namespace

Failure fail(TargetState state, std::string message) {
  return {std::string(to_text(state)), std::move(message)};
}

Failure fail_with_errno(int errno_value, std::string_view what) {
  const TargetState state = state_of(errno_value);
  std::string message = system_error(errno_value).in(std::string(what)).message;
  if (state == TargetState::permission_denied) message += " for uid " + std::to_string(::geteuid());
  return fail(state, std::move(message));
}

}  // namespace storage_probe::engine
