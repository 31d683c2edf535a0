// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "engine/offsets.h"

namespace storage_probe::engine {

// Which of a run's writes was the last one to each block, for reading it back. Four bytes a block,
// allocated once; of a range of more than 4 Mi blocks (16 GiB of 4 KiB each) the first 4 Mi are
// followed. Two writes to one block that are in flight at once may reach the disk in either order,
// so whoever writes asks first. Offsets are bytes in the file, of whole blocks of the range.
class WriteLog {
 public:
  explicit WriteLog(BlockRange range);

  bool is_in_flight(std::uint64_t offset) const;
  // `generation` counts the run's writes from 1.
  void start(std::uint64_t offset);
  void complete(std::uint64_t offset, std::uint64_t generation);
  // Of what was to be written nobody knows how much is on the disk: not to be read back.
  void fail(std::uint64_t offset);

  struct Entry {
    std::uint64_t offset = 0;
    std::uint64_t generation = 0;
  };
  // The first block from `offset` on that was written. For when no write is in flight.
  std::optional<Entry> find_from(std::uint64_t offset) const;

 private:
  static constexpr std::uint64_t kMostBlocks = 1U << 22U;
  // A run of five minutes would have to write seven million times a second to reach it.
  static constexpr std::uint32_t kInFlight = 1U << 31U;

  std::optional<std::size_t> index_of(std::uint64_t offset) const;

  BlockRange range_;
  std::vector<std::uint32_t> last_;  // the generation; 0: none; kInFlight
};

}  // namespace storage_probe::engine
