// SPDX-License-Identifier: Apache-2.0
// What writes write. A volume that compresses or deduplicates answers faster than it is, so no two
// blocks are alike: noise that no compressor shrinks, filled in once before the run, and for each
// write a stamp, which no deduplicator finds twice. Filling each write anew, or a checksum of all
// of it, would cost more CPU than the I/O.
//
// Each 4 KiB (a unit) begins with a stamp: who wrote it, to which offset, as which of its writes,
// and from which seed its noise came, with a checksum of these. Each 512 bytes (a sector, the least
// that a disk writes whole) end with a seal made of that checksum and the sector's place. So a
// block that was read back can be told from any other, sectors of two writes do not pass for one,
// and the noise between is compared with what its seed makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace storage_probe::engine {

// Which write it was. Native byte order: who reads it back is who wrote it.
struct WriteMark {
  std::uint64_t writer = 0;      // a run, or a layout
  std::uint64_t offset = 0;      // in the file
  std::uint64_t generation = 0;  // among the writer's writes

  bool operator==(const WriteMark&) const = default;
};

void fill_with_noise(std::span<std::byte> memory, std::uint64_t seed);

// Marks a block that fill_with_noise(block, seed) has filled, at whatever time. What is less than a
// sector stays noise.
void stamp(std::span<std::byte> block, const WriteMark& mark, std::uint64_t seed);

// The mark of a block of whole sectors that was read back. Empty when it is damaged, or in parts
// that were not written together.
std::optional<WriteMark> read_mark(std::span<const std::byte> block);

}  // namespace storage_probe::engine
