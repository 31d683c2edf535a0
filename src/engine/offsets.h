// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// A range of blocks of a file: numbers `first` to `first + count - 1`, count above 0.
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  Bytes block_size;
};

// Where each I/O of a run goes: one after the other with a wrap at the end, or anywhere in the
// range with equal chance, but never on the block of the I/O before nor next to it (where the range
// has others), because the kernel and the device would merge the two or prefetch the second.
class Offsets {
 public:
  Offsets(Pattern pattern, BlockRange range, std::uint64_t seed);

  // The offset of the next I/O in the file, in bytes.
  std::uint64_t next();

 private:
  std::uint64_t next_random();

  Pattern pattern_;
  BlockRange range_;
  Random random_;
  std::uint64_t block_;  // of the last I/O, from the range's start; range_.count before the first
};

}  // namespace storage_probe::engine
