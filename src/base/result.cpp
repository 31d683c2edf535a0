// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace storage_probe {
namespace {

Errc code_of(int errno_value) {
  switch (errno_value) {
    case EINVAL:
      return Errc::invalid;
    case ENOENT:
    case ENOTDIR:
      return Errc::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Errc::denied;
    case EBUSY:
    case EAGAIN:
    case EADDRINUSE:
      return Errc::busy;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return Errc::exhausted;
    case ETIMEDOUT:
    case ETIME:
      return Errc::timed_out;
  }
  return Errc::io;
}

}  // namespace

Error system_error(int errno_value) {
  return {code_of(errno_value), std::generic_category().message(errno_value)};
}

}  // namespace storage_probe
