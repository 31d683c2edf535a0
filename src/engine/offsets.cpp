// SPDX-License-Identifier: Apache-2.0
#include "engine/offsets.h"

#include <algorithm>

namespace storage_probe::engine {

Offsets::Offsets(Pattern pattern, BlockRange range, std::uint64_t seed)
    : pattern_(pattern), range_(range), random_(seed), block_(range.count) {}

std::uint64_t Offsets::next() {
  if (pattern_ == Pattern::random) {
    block_ = next_random();
  } else {
    block_ = block_ + 1 < range_.count ? block_ + 1 : 0;
  }
  return (range_.first + block_) * range_.block_size.value;
}

// Draws among the blocks that are allowed and steps over the gap of those that are not: no draw is
// ever repeated, and all allowed blocks are equally likely.
std::uint64_t Offsets::next_random() {
  if (block_ == range_.count) return random_.below(range_.count);
  std::uint64_t gap_start = block_ == 0 ? 0 : block_ - 1;
  std::uint64_t gap_end = std::min(block_ + 2, range_.count);
  if (gap_end - gap_start == range_.count) {  // all are neighbours: only the same one is left out
    gap_start = block_;
    gap_end = block_ + 1;
  }
  if (range_.count == 1) return 0;
  const std::uint64_t drawn = random_.below(range_.count - (gap_end - gap_start));
  return drawn < gap_start ? drawn : drawn + (gap_end - gap_start);
}

}  // namespace storage_probe::engine
