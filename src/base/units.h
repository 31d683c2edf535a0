// SPDX-License-Identifier: Apache-2.0
// Quantities as types, and their text. Sizes and rates take decimal (kB, MB, GB, TB: powers of
// 1000) and binary (KiB, MiB, GiB, TiB: powers of 1024) units, which are never mixed up; a number
// whose kind has a unit is refused without one, and the error says what to write.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace storage_probe {

using Duration = std::chrono::nanoseconds;
using SteadyTime = std::chrono::steady_clock::time_point;  // deadlines and intervals
using WallTime = std::chrono::system_clock::time_point;    // ledgers, logs, people

// A count that no other kind of count can be added to, compared with or passed for.
template <typename Tag>
struct Count {
  std::uint64_t value = 0;

  auto operator<=>(const Count&) const = default;  // NOLINT(modernize-use-nullptr)
  Count& operator+=(Count other) {
    value += other.value;
    return *this;
  }
  friend Count operator+(Count a, Count b) { return {a.value + b.value}; }
  // Stops at zero: what is left of a budget is never negative.
  friend Count operator-(Count a, Count b) {
    return {a.value - (b.value < a.value ? b.value : a.value)};
  }
};
using Bytes = Count<struct BytesTag>;
using Ops = Count<struct OpsTag>;

inline constexpr Bytes kKiB{1024};
inline constexpr Bytes kMiB{1024UL * 1024};
inline constexpr Bytes kGiB{1024UL * 1024 * 1024};

inline double to_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
// Rounds to the nearest nanosecond; the caller keeps |seconds| under 2^33.
Duration from_seconds(double seconds);
inline double to_unix_seconds(WallTime t) {
  return std::chrono::duration<double>(t.time_since_epoch()).count();
}

// All refuse signs, exponents, white space, what does not fit 63 bits, and (but for rates and
// ratios) what is not a whole number of bytes, nanoseconds or things: "1.5KiB" is one, "1.5B" not.
Result<Bytes> parse_bytes(std::string_view text);        // "4KiB", "512B", "20GiB", "1.5GB"
Result<Duration> parse_duration(std::string_view text);  // "500ms", "10s", "1m", "1h30m", "2d"
Result<Ops> parse_count(std::string_view text);          // "50000", "5M", "4k" (powers of 1000)
Result<double> parse_byte_rate(
    std::string_view text);                           // bytes per second: "125MiB/s", "4750Mbit/s"
Result<double> parse_percent(std::string_view text);  // a ratio: "1%" is 0.01

// The shortest exact text, in binary units when there is a draw: "4KiB", "1536KiB", "500GB".
std::string to_text(Bytes bytes);
// The two largest neighbouring units that say it exactly: "500ms", "1m30s", "2h". What to_text()
// writes, the parsers read.
std::string to_text(Duration duration);
// For people, three significant digits: "3.02k", "118 MiB/s", "245 us".
std::string human_count(double count);
std::string human_byte_rate(double bytes_per_second);
std::string human_duration(Duration duration);
std::string human_bytes(Bytes bytes);

}  // namespace storage_probe
