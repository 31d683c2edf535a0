// SPDX-License-Identifier: Apache-2.0
#include "engine/write_data.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hash.h"

namespace storage_probe::engine {
namespace {

constexpr std::size_t kUnit = 4096;  // the smallest that deduplicators look at
constexpr std::size_t kSector = 512;
constexpr std::size_t kSeal = sizeof(std::uint64_t);

struct Stamp {
  WriteMark mark;           // with the unit's own offset
  std::uint64_t noise = 0;  // the seed
  std::uint64_t checksum = 0;
};

std::uint64_t checksum_of(const Stamp& stamp) {
  const std::uint64_t who = mix64(stamp.mark.writer ^ stamp.noise) + stamp.mark.generation;
  return mix64(mix64(who) + stamp.mark.offset);
}

std::uint64_t seal_of(std::uint64_t checksum, std::size_t sector_end) {
  return mix64(checksum + sector_end);
}

std::uint64_t unit_seed(std::uint64_t seed, std::size_t at) { return mix64(seed + at); }

std::uint64_t word_at(std::span<const std::byte> memory, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, memory.data() + at, sizeof(word));
  return word;
}

void fill_unit(std::span<std::byte> unit, std::uint64_t seed) {
  Random random(seed);
  for (std::size_t at = 0; at < unit.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t noise = random.next();
    std::memcpy(unit.data() + at, &noise, std::min(unit.size() - at, sizeof(noise)));
  }
}

// Between the stamp and the seals of a unit of whole sectors.
bool has_its_noise(std::span<const std::byte> unit, std::uint64_t seed) {
  Random random(seed);
  std::uint64_t differences = 0;
  for (std::size_t at = 0; at < unit.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t noise = random.next();
    if (at < sizeof(Stamp) || (at + kSeal) % kSector == 0) continue;
    differences |= noise ^ word_at(unit, at);
  }
  return differences == 0;
}

std::optional<WriteMark> read_unit(std::span<const std::byte> unit) {
  Stamp stamp;
  std::memcpy(&stamp, unit.data(), sizeof(stamp));
  if (stamp.checksum != checksum_of(stamp)) return std::nullopt;
  for (std::size_t end = kSector; end <= unit.size(); end += kSector) {
    if (word_at(unit, end - kSeal) != seal_of(stamp.checksum, end)) return std::nullopt;
  }
  if (!has_its_noise(unit, stamp.noise)) return std::nullopt;
  return stamp.mark;
}

}  // namespace

void fill_with_noise(std::span<std::byte> memory, std::uint64_t seed) {
  for (std::size_t at = 0; at < memory.size(); at += kUnit) {
    fill_unit(memory.subspan(at, std::min(kUnit, memory.size() - at)), unit_seed(seed, at));
  }
}

void stamp(std::span<std::byte> block, const WriteMark& mark, std::uint64_t seed) {
  for (std::size_t at = 0; at + kSector <= block.size(); at += kUnit) {
    const auto unit = block.subspan(at, std::min(kUnit, block.size() - at));
    Stamp stamp{{mark.writer, mark.offset + at, mark.generation}, unit_seed(seed, at)};
    stamp.checksum = checksum_of(stamp);
    std::memcpy(unit.data(), &stamp, sizeof(stamp));
    for (std::size_t end = kSector; end <= unit.size(); end += kSector) {
      const std::uint64_t seal = seal_of(stamp.checksum, end);
      std::memcpy(unit.data() + end - kSeal, &seal, sizeof(seal));
    }
  }
}

std::optional<WriteMark> read_mark(std::span<const std::byte> block) {
  if (block.size() < kSector || block.size() % kSector != 0) return std::nullopt;
  std::optional<WriteMark> whole;
  for (std::size_t at = 0; at < block.size(); at += kUnit) {
    auto mark = read_unit(block.subspan(at, std::min(kUnit, block.size() - at)));
    if (!mark) return std::nullopt;
    mark->offset -= at;
    if (whole && *mark != *whole) return std::nullopt;
    whole = mark;
  }
  return whole;
}

}  // namespace storage_probe::engine
