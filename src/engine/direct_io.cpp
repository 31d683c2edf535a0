// SPDX-License-Identifier: Apache-2.0
#include "engine/direct_io.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/buffer_pool.h"

namespace storage_probe::engine {
namespace {

constexpr std::uint64_t kSafeAlignment = 4096;  // of 4Kn disks, and of any page cache to bypass

Failure rejected(const OpenFile& file, const std::string& moment) {
  return fail(TargetState::direct_io_rejected,
              file.fs_type + " refuses direct I/O (O_DIRECT) at " + moment + " of " + file.name);
}

// What the kernel and file systems answer when it is the directness that they do not like.
bool is_refusal(int errno_value) { return errno_value == EINVAL || errno_value == EOPNOTSUPP; }

Failure first_io_failure(const OpenFile& file, const std::string& moment) {
  const int errno_value = errno;
  if (is_refusal(errno_value)) return rejected(file, moment);
  return fail_with_errno(errno_value, moment + " of " + file.name);
}

void count(Usage& usage, std::size_t bytes) {
  usage.bytes += Bytes{bytes};
  usage.ops += Ops{1};
}

}  // namespace

Checked<Bytes> direct_io_alignment(const OpenFile& file, Bytes logical_block_size) {
  struct ::statx facts {};
  const bool is_known = ::statx(file.fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
                        (facts.stx_mask & STATX_DIOALIGN) != 0;
  if (!is_known) return Bytes{std::max(logical_block_size.value, kSafeAlignment)};
  if (facts.stx_dio_offset_align == 0) return rejected(file, "any I/O");
  return Bytes{std::max<std::uint64_t>(facts.stx_dio_offset_align, logical_block_size.value)};
}

std::optional<Failure> direct_read(const OpenFile& file, std::span<std::byte> into,
                                   std::uint64_t offset) {
  const ssize_t got = ::pread(file.fd, into.data(), into.size(), static_cast<off_t>(offset));
  if (got < 0) return first_io_failure(file, "the first read");
  if (static_cast<std::size_t>(got) != into.size())
    return fail(TargetState::io_error, "read of " + file.name + ": " + std::to_string(got) +
                                           " bytes instead of " + std::to_string(into.size()));
  return std::nullopt;
}

RoundTrip direct_round_trip(const OpenFile& file, std::span<const std::byte> data,
                            std::uint64_t offset) {
  RoundTrip trip;
  const auto back = BufferPool::create(1, {data.size()});
  if (!back) {
    trip.failure = fail(TargetState::io_error, back.error().message);
    return trip;
  }
  count(trip.spent[Operation::write], data.size());
  const ssize_t written = ::pwrite(file.fd, data.data(), data.size(), static_cast<off_t>(offset));
  if (written < 0) {
    trip.failure = first_io_failure(file, "the first write");
    return trip;
  }
  if (static_cast<std::size_t>(written) != data.size()) {
    // The one reason for a short write of one block is that the rest of it does not fit.
    trip.failure = fail(TargetState::no_space, "the first write of " + file.name + " ended early");
    return trip;
  }
  count(trip.spent[Operation::read], data.size());
  const std::span<std::byte> read = back->slot(0);
  trip.failure = direct_read(file, read, offset);
  if (!trip.failure && std::memcmp(read.data(), data.data(), data.size()) != 0)
    trip.failure = fail(TargetState::io_error, file.name + " does not read back as written");
  return trip;
}

bool has_holes(const OpenFile& file, Bytes size) {
  const off_t hole = ::lseek(file.fd, 0, SEEK_HOLE);
  return hole >= 0 && static_cast<std::uint64_t>(hole) < size.value;
}

Failure open_failure(int errno_value, const OpenFile& file) {
  if (is_refusal(errno_value)) return rejected(file, "open");
  return fail_with_errno(errno_value, "open " + file.name);
}

}  // namespace storage_probe::engine
