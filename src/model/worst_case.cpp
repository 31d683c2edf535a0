// SPDX-License-Identifier: Apache-2.0
#include "model/worst_case.h"

#include <algorithm>
#include <cmath>

namespace storage_probe {
namespace {

// No budget grants this, and a few of them add up without overflow.
constexpr std::uint64_t kUnbounded = 1ULL << 60U;

std::uint64_t whole(double value) {
  if (!(value < static_cast<double>(kUnbounded))) return kUnbounded;
  return static_cast<std::uint64_t>(std::ceil(std::max(value, 0.0)));
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

// A limit of 0 is none.
std::uint64_t limited(std::uint64_t value, std::uint64_t limit) {
  return limit == 0 ? value : std::min(value, limit);
}

// Reads and writes that one run can issue within its limits.
std::uint64_t most_ios(const ProbeSpec& spec) {
  std::uint64_t ios = kUnbounded;
  // One more: an open loop issues at both ends of its window.
  if (spec.kind == Kind::latency) ios = whole(spec.rate * to_seconds(spec.limits.time)) + 1;
  ios = limited(ios, spec.limits.ops.value);
  const std::uint64_t block = std::max<std::uint64_t>(spec.block_size.value, 1);
  const std::uint64_t bytes = spec.limits.bytes.value;
  return bytes == 0 ? ios : std::min(ios, bytes / block + (bytes % block == 0 ? 0 : 1));
}

}  // namespace

Usage worst_case(const Target& target, const ProbeSpec& spec) {
  const std::uint64_t ios = most_ios(spec);
  Usage usage;
  usage.ops.value = ios;
  usage.bytes.value = product(ios, spec.block_size.value);
  if (spec.writes()) {
    if (spec.verify) usage += usage;  // all that was written is read back
    const auto cadence = static_cast<std::uint64_t>(std::max(spec.fsync_every, 0));
    usage.ops += Ops{(cadence == 0 ? 0 : ios / cadence) + 1};
  }
  // A file of ours is opened with one direct read of its header.
  const bool is_ours = !target.path.empty() && target.file.mode != ProbeFileSpec::Mode::existing;
  if (is_ours) usage += Usage{{}, Bytes{4096}, Ops{1}};
  if (spec.kind == Kind::capacity) usage.time = spec.longest();
  return usage;
}

Bytes most_written(const ProbeSpec& spec) {
  const std::uint64_t ios = most_ios(spec);
  const std::uint64_t percent = 100 - spec.read_percent;
  // Rounded up, and without a product that overflows.
  const std::uint64_t written = ios / 100 * percent + (ios % 100 * percent + 99) / 100;
  return Bytes{product(written, spec.block_size.value)};
}

}  // namespace storage_probe
