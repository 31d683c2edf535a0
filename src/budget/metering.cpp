// SPDX-License-Identifier: Apache-2.0
#include "budget/metering.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/allowance.h"

namespace storage_probe::budget {
namespace {

constexpr std::string_view kEfs = "aws.efs";
constexpr Bytes kEfsRequest{4096};
constexpr std::uint64_t kEfsReadDiscount = 3;

bool is_efs(std::string_view volume_type) { return volume_type.starts_with(kEfs); }

Bytes product(Ops ios, Bytes each) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return {ios.value > kMost / each.value ? kMost : ios.value * each.value};
}

Bytes efs_bytes(Operation operation, const Usage& done) {
  const Bytes least = product(done.ops, kEfsRequest);
  if (operation != Operation::read) return std::max(least, done.bytes);
  const std::uint64_t third =
      done.bytes.value / kEfsReadDiscount + (done.bytes.value % kEfsReadDiscount == 0 ? 0 : 1);
  return std::max(least, Bytes{third});
}

}  // namespace

Bytes metered_bytes(std::string_view volume_type, Operation operation, const Usage& done) {
  return is_efs(volume_type) ? efs_bytes(operation, done) : done.bytes;
}

Usage metered(std::string_view volume_type, const ProbeSpec& spec, Usage worst_case) {
  const Operation dearest = spec.writes() ? Operation::write : Operation::read;
  worst_case.bytes = metered_bytes(volume_type, dearest, worst_case);
  return worst_case;
}

Usage metered_charge_of(std::string_view volume_type, const ProbeReport& report) {
  Usage charge = charge_of(report);
  if (!is_efs(volume_type)) return charge;
  charge.bytes = {};
  for (const Operation operation : kOperations) {
    charge.bytes += metered_bytes(volume_type, operation, report.measured.used[operation]);
    charge.bytes += metered_bytes(volume_type, operation, report.layout[operation]);
  }
  return charge;
}

}  // namespace storage_probe::budget
