// SPDX-License-Identifier: Apache-2.0
#include "engine/space.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

namespace storage_probe::engine {
namespace {

// No file system aligns direct I/O to more (bcachefs: its block, 16 KiB and up).
constexpr Bytes kBlock{64 * kKiB.value};
constexpr Bytes kSmallestFile{2 * kBlock.value};

Bytes multiply(std::uint64_t blocks, std::uint64_t block_size) {
  if (block_size != 0 && blocks > std::numeric_limits<std::uint64_t>::max() / block_size)
    return {std::numeric_limits<std::uint64_t>::max()};
  return {blocks * block_size};
}

Bytes round_down(Bytes bytes, Bytes unit) { return {bytes.value / unit.value * unit.value}; }

Bytes configured_size(Bytes size) { return std::max(round_down(size, kBlock), kSmallestFile); }

Failure no_space(const CheckedDirectory& directory, const Space& space, const FileRequest& request,
                 Bytes wanted) {
  return fail(TargetState::no_space,
              directory.path().string() + " has " + human_bytes(space.available) +
                  " left, of which a probe file may take " +
                  human_bytes(room(space, request.space)) + " (space.min_free): " +
                  human_bytes(wanted) + " are needed: free some, or set a smaller file.size");
}

}  // namespace

Checked<Space> read_space(const CheckedDirectory& directory) {
  struct ::statvfs facts {};
  if (::fstatvfs(directory.fd(), &facts) != 0)
    return fail_with_errno(errno, "statvfs " + directory.path().string());
  return space_of(multiply(facts.f_blocks, facts.f_frsize),
                  multiply(facts.f_bavail, facts.f_frsize));
}

Checked<Bytes> size_to_lay_out(const CheckedDirectory& directory, const FileRequest& request,
                               Bytes reused) {
  const auto space = read_space(directory);
  if (!space) return space.failure();
  const Bytes free = room(*space, request.space) + reused;
  if (!request.spec.size) {
    if (const auto size = default_file_size(*space, free)) return *size;
    return no_space(directory, *space, request, kSmallestProbeFile - reused);
  }
  const Bytes size = configured_size(*request.spec.size);
  if (size > free) return no_space(directory, *space, request, size - reused);
  return size;
}

std::optional<Failure> check_file_limit(Bytes size) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      size.value <= limit.rlim_cur)
    return std::nullopt;
  return fail(TargetState::no_space,
              "a probe file of " + human_bytes(size) + " is larger than the " +
                  human_bytes({limit.rlim_cur}) +
                  " that a file of this process may have (ulimit -f, LimitFSIZE): raise that, or "
                  "set a smaller file.size");
}

Checked<bool> is_size_wanted(const CheckedDirectory& directory, const FileRequest& request,
                             Bytes size) {
  if (request.is_shared) return !request.spec.size || size >= configured_size(*request.spec.size);
  if (request.spec.size) return size == configured_size(*request.spec.size);
  const auto space = read_space(directory);
  if (!space) return space.failure();
  // What the file itself takes would be free without it.
  const auto wanted = default_file_size(*space, room(*space, request.space) + size);
  return !wanted || (size.value >= wanted->value / 2 && size.value / 2 <= wanted->value);
}

}  // namespace storage_probe::engine
