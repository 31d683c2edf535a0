// SPDX-License-Identifier: Apache-2.0
// A hash that is the same on every host and in every version (schedules depend on it), and a small
// fast random generator that starts from a given seed. Neither is for secrets.
#pragma once

#include <cstdint>
#include <string_view>

namespace storage_probe {

constexpr std::uint64_t mix64(std::uint64_t x) {  // splitmix64's finalizer
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// FNV-1a over the bytes, then mixed; `seed` chains several strings into one hash.
constexpr std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ mix64(seed);
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix64(hash);
}

// splitmix64: one multiply-and-xor chain a value, every seed is good.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return mix64(state_ += 0x9e3779b97f4a7c15U); }
  // Uniform in [0, bound), by multiply-shift: the bias is below 2^-32 for any bound this program
  // has.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64U);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t state_;
};

}  // namespace storage_probe
