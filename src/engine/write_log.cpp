// SPDX-License-Identifier: Apache-2.0
#include "engine/write_log.h"

#include <algorithm>

namespace storage_probe::engine {

WriteLog::WriteLog(BlockRange range)
    : range_(range), last_(static_cast<std::size_t>(std::min(range.count, kMostBlocks))) {}

std::optional<std::size_t> WriteLog::index_of(std::uint64_t offset) const {
  const std::uint64_t block = offset / range_.block_size.value;
  if (block < range_.first || block - range_.first >= last_.size()) return std::nullopt;
  return static_cast<std::size_t>(block - range_.first);
}

bool WriteLog::is_in_flight(std::uint64_t offset) const {
  const auto index = index_of(offset);
  return index && last_[*index] == kInFlight;
}

void WriteLog::start(std::uint64_t offset) {
  if (const auto index = index_of(offset)) last_[*index] = kInFlight;
}

void WriteLog::complete(std::uint64_t offset, std::uint64_t generation) {
  if (const auto index = index_of(offset)) last_[*index] = static_cast<std::uint32_t>(generation);
}

void WriteLog::fail(std::uint64_t offset) { complete(offset, 0); }

std::optional<WriteLog::Entry> WriteLog::find_from(std::uint64_t offset) const {
  const std::uint64_t start = range_.first * range_.block_size.value;
  const auto from = index_of(std::max(offset, start));
  if (!from) return std::nullopt;
  const auto found = std::find_if(last_.begin() + static_cast<std::ptrdiff_t>(*from), last_.end(),
                                  [](std::uint32_t last) { return last != 0; });
  if (found == last_.end()) return std::nullopt;
  const auto index = static_cast<std::uint64_t>(found - last_.begin());
  return Entry{start + index * range_.block_size.value, *found};
}

}  // namespace storage_probe::engine
