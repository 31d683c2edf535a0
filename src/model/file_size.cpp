// SPDX-License-Identifier: Apache-2.0
#include "model/file_size.h"

#include <algorithm>
#include <cstdint>

namespace storage_probe {
namespace {

constexpr Bytes kFictionalTotal{1ULL << 60U};  // larger than any volume
constexpr Bytes kSmallestDefault{64 * kMiB.value};

}  // namespace

Space space_of(Bytes total, Bytes available) {
  return {total, available, total == Bytes{} || total >= kFictionalTotal};
}

Bytes room(const Space& space, const SpaceRule& rule) {
  if (space.fictional) return kFictionalTotal;
  const double ratio = std::clamp(rule.min_free_ratio, 0.0, 1.0);
  const Bytes share{static_cast<std::uint64_t>(static_cast<double>(space.total.value) * ratio)};
  return space.available - std::min(share, rule.min_free_bytes);
}

std::optional<Bytes> default_file_size(const Space& space, Bytes room) {
  const Bytes wanted = std::clamp(Bytes{space.total.value / 100}, kSmallestDefault, kGiB);
  const Bytes size{std::min(wanted, room).value / kMiB.value * kMiB.value};
  if (size < kSmallestProbeFile) return std::nullopt;
  return size;
}

}  // namespace storage_probe
