// SPDX-License-Identifier: Apache-2.0
#include "targets/host.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <system_error>

#include "base/file.h"

namespace storage_probe::targets {
namespace {

// A line a processor, and one with a number for each interrupt.
constexpr std::size_t kStatLimit = 4U << 20U;
constexpr std::size_t kBootIdLimit = 128;
constexpr std::string_view kAllProcessors = "cpu ";

}  // namespace

std::string read_boot_id(const std::filesystem::path& procfs) {
  const auto text = read_file(procfs / "sys/kernel/random/boot_id", kBootIdLimit);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

std::optional<ProcessorTicks> parse_processor_ticks(std::string_view stat) {
  if (!stat.starts_with(kAllProcessors)) return std::nullopt;
  stat = stat.substr(0, stat.find('\n'));
  const char* next = stat.data() + kAllProcessors.size();
  const char* const end = stat.data() + stat.size();
  // user, nice, system, idle, iowait, irq, softirq, steal; what guests got is in user already.
  std::array<std::uint64_t, 8> ticks{};
  for (std::uint64_t& each : ticks) {
    next = std::find_if(next, end, [](char c) { return c != ' '; });
    const auto [after, error] = std::from_chars(next, end, each);
    if (error != std::errc{}) return std::nullopt;
    next = after;
  }
  return ProcessorTicks{std::accumulate(ticks.begin(), ticks.end(), std::uint64_t{0}),
                        ticks.back()};
}

std::optional<ProcessorTicks> read_processor_ticks(const std::filesystem::path& procfs) {
  const auto stat = read_file(procfs / "stat", kStatLimit);
  if (!stat) return std::nullopt;
  return parse_processor_ticks(*stat);
}

double stolen_share(const ProcessorTicks& before, const ProcessorTicks& after) {
  // Neither sum is certain to grow: idle and steal are corrected downwards at times.
  if (after.all <= before.all || after.stolen <= before.stolen) return 0;
  return std::min(1.0, static_cast<double>(after.stolen - before.stolen) /
                           static_cast<double>(after.all - before.all));
}

// "used waited slices": nanoseconds.
std::optional<Duration> read_run_delay(const std::filesystem::path& procfs) {
  const auto stat = read_file(procfs / "self/schedstat", kStatLimit);
  if (!stat) return std::nullopt;
  const std::size_t second = stat->find(' ');
  if (second == std::string::npos) return std::nullopt;
  std::int64_t waited = 0;
  const char* const end = stat->data() + stat->size();
  const auto [after, error] = std::from_chars(stat->data() + second + 1, end, waited);
  if (error != std::errc{} || waited < 0) return std::nullopt;
  return std::chrono::nanoseconds(waited);
}

}  // namespace storage_probe::targets
