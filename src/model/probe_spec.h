// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace storage_probe {

// The enumerators of this file are label values and config words, spelled as written here.
enum class Operation { read, write, fsync };
inline constexpr std::array kOperations{Operation::read, Operation::write, Operation::fsync};
enum class Pattern { random, sequential };
enum class Kind { latency, capacity };
enum class Engine { automatic, io_uring, threads };  // "auto" in text

std::string_view to_text(Operation operation);
std::string_view to_text(Pattern pattern);
std::string_view to_text(Kind kind);
std::string_view to_text(Engine engine);

// One value per operation, indexed by it.
template <typename T>
struct PerOperation {
  std::array<T, kOperations.size()> values{};

  T& operator[](Operation op) { return values[static_cast<std::size_t>(op)]; }
  const T& operator[](Operation op) const { return values[static_cast<std::size_t>(op)]; }
};

// What a probe may use, has used, or is left: one type, so that they add up and compare.
struct Usage {
  Duration time{};
  Bytes bytes;
  Ops ops;

  bool operator==(const Usage&) const = default;
  Usage& operator+=(const Usage& other);
  friend Usage operator+(Usage a, const Usage& b) { return a += b; }
};

// The workload of one probe, everything resolved but an automatic queue depth.
struct ProbeSpec {
  std::string name;  // the label `probe`
  Kind kind = Kind::capacity;
  Pattern pattern = Pattern::random;
  unsigned read_percent = 100;  // 0 writes only
  Bytes block_size{4096};
  std::optional<unsigned> queue_depth;  // capacity only; empty: from the promise and idle latency
  std::optional<unsigned> rings;        // capacity only; empty: automatic
  double rate = 20;                     // latency only: I/Os per second, open loop
  int fsync_every = 0;                  // after every N writes; 0 and -1: only the one at the end
  Usage limits;  // the probe ends at whichever it meets first; a member of 0 does not limit
  bool stop_early = true;
  bool verify = false;

  bool operator==(const ProbeSpec&) const = default;
  bool writes() const { return read_percent < 100; }
  // The longest that measuring takes, 0 without a limit: reading back may take as long again.
  Duration longest() const { return writes() && verify ? 2 * limits.time : limits.time; }
};

// The presets, named with fio's words: latency latency-write randread randwrite randrw seqread
// seqwrite. Null when there is none of that name. Limits are the ones without a promise.
const ProbeSpec* find_preset(std::string_view name);
// All presets in the order above, for messages.
std::array<std::string_view, 7> preset_names();

}  // namespace storage_probe
