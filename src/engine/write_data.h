// SPDX-License-Identifier: Apache-2.0
// What writes write. A volume that compresses or deduplicates answers faster than it is, so no two
// blocks are alike: noise that no compressor shrinks, filled in once before the run, and for each
// write a stamp in every 4 KiB of it, which no deduplicator finds twice. Filling each write anew
// would cost more CPU than the I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storage_probe::engine {

void fill_with_noise(std::span<std::byte> memory, std::uint64_t seed);

// Two runs, and two writes of a run to the same offset, differ in `generation`.
void stamp(std::span<std::byte> block, std::uint64_t offset, std::uint64_t generation);

}  // namespace storage_probe::engine
