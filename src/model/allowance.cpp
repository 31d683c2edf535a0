// SPDX-License-Identifier: Apache-2.0
#include "model/allowance.h"

#include <algorithm>
#include <optional>

namespace storage_probe {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

// The figure a share is taken of. Where reads and writes are promised apart, the smaller one: what
// the probes do is not known here, and neither may be overdrawn.
std::optional<double> promised(const std::optional<double>& both, const std::optional<double>& read,
                               const std::optional<double>& write) {
  if (both) return both;
  if (read && write) return std::min(*read, *write);
  return read ? read : write;
}

std::uint64_t smaller(std::uint64_t configured, const std::optional<double>& rate, double share) {
  if (!rate) return configured;
  const double day = std::max(0.0, *rate * share * to_seconds(kDay));
  // Compared as doubles: a conversion that does not fit is undefined.
  return day < static_cast<double>(configured) ? static_cast<std::uint64_t>(day) : configured;
}

}  // namespace

Usage allowance_of(const BudgetRule& rule, const Promise& promise) {
  const auto iops = promised(promise.iops, promise.read_iops, promise.write_iops);
  const auto throughput =
      promised(promise.throughput, promise.read_throughput, promise.write_throughput);
  Usage allowance;
  allowance.bytes.value = smaller(rule.bytes_per_day.value, throughput, rule.share);
  allowance.ops.value = smaller(rule.ios_per_day.value, iops, rule.share);
  // Never 0, which means unlimited.
  allowance.time = std::max(Duration(1), from_seconds(rule.duty_cycle * to_seconds(kDay)));
  return allowance;
}

Usage charge_of(const ProbeReport& report) {
  Usage charge = report.used();
  if (report.spec.kind == Kind::latency) charge.time = report.layout_elapsed;
  return charge;
}

}  // namespace storage_probe
