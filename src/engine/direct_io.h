// SPDX-License-Identifier: Apache-2.0
// Whether O_DIRECT is real on a file. Three different moments may refuse it (open, the first I/O,
// or the alignment the kernel tells), and none of them may be papered over with the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/units.h"
#include "engine/checked.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// An open file and how messages call it.
struct OpenFile {
  int fd = -1;
  std::string name;     // its path
  std::string fs_type;  // "ext4"; "block device" for one
};

// Offsets and lengths must be multiples of this: STATX_DIOALIGN, else the larger of the logical
// block size and 4096. Fails with direct_io_rejected where the kernel says that there is none.
Checked<Bytes> direct_io_alignment(const OpenFile& file, Bytes logical_block_size);

struct RoundTrip {
  PerOperation<Usage> spent;  // bytes and ops
  std::optional<Failure> failure;
};

// Writes `data` at `offset` of a file of ours, reads it back and compares: direct_io_rejected when
// the kernel refuses the first I/O, io_error when the data differ. `data` is a BufferPool's slot.
RoundTrip direct_round_trip(const OpenFile& file, std::span<const std::byte> data,
                            std::uint64_t offset);

// Fills `into`, a BufferPool's slot, from `offset`; direct_io_rejected, or io_error also for a read
// that ends early.
std::optional<Failure> direct_read(const OpenFile& file, std::span<std::byte> into,
                                   std::uint64_t offset);

// Whether blocks of the first `size` bytes were never written: they read as zeros without any I/O,
// also where fallocate reserved them. A file system that cannot tell has none.
bool has_holes(const OpenFile& file, Bytes size);

// What an errno of opening with O_DIRECT means: direct_io_rejected for EINVAL, else as usual.
Failure open_failure(int errno_value, const OpenFile& file);

}  // namespace storage_probe::engine
