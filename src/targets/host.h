// SPDX-License-Identifier: Apache-2.0
// The machine itself, as /proc shows it. The root of procfs is an argument.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

namespace storage_probe::targets {

// Differs with every boot of every machine; empty where procfs does not tell.
std::string read_boot_id(const std::filesystem::path& procfs);

// Processor time since boot, of all processors together; the unit cancels out.
struct ProcessorTicks {
  std::uint64_t all = 0;
  std::uint64_t stolen = 0;  // taken by the hypervisor for other guests
};

std::optional<ProcessorTicks> parse_processor_ticks(std::string_view stat);
// From PROCFS/stat.
std::optional<ProcessorTicks> read_processor_ticks(const std::filesystem::path& procfs);

// The share of the machine that was stolen between two readings, 0 to 1; 0 when no time has passed.
double stolen_share(const ProcessorTicks& before, const ProcessorTicks& after);

// How long the calling process's first thread has waited for a processor since it began, from
// PROCFS/self/schedstat; empty where the kernel does not count that.
std::optional<Duration> read_run_delay(const std::filesystem::path& procfs);

}  // namespace storage_probe::targets
