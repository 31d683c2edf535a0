// SPDX-License-Identifier: Apache-2.0
#include "engine/write_data.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hash.h"

namespace storage_probe::engine {
namespace {

constexpr std::size_t kStampEvery = 4096;  // the smallest unit that deduplicators look at

}  // namespace

void fill_with_noise(std::span<std::byte> memory, std::uint64_t seed) {
  Random random(seed);
  while (!memory.empty()) {
    const std::uint64_t noise = random.next();
    const std::size_t length = std::min(memory.size(), sizeof(noise));
    std::memcpy(memory.data(), &noise, length);
    memory = memory.subspan(length);
  }
}

void stamp(std::span<std::byte> block, std::uint64_t offset, std::uint64_t generation) {
  for (std::size_t at = 0; at < block.size(); at += kStampEvery) {
    const std::array<std::uint64_t, 2> mark{offset + at, generation};
    const auto place = block.subspan(at);
    std::memcpy(place.data(), mark.data(), std::min(place.size(), sizeof(mark)));
  }
}

}  // namespace storage_probe::engine
