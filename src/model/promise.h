// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace storage_probe {

// What the provider owes on one volume. A value that is not known is empty, never 0.
struct Promise {
  std::optional<double> iops;        // reads and writes together, per second
  std::optional<double> throughput;  // reads and writes together, bytes per second
  std::optional<double> read_iops, write_iops;
  std::optional<double> read_throughput, write_throughput;  // where they are promised apart
  std::string from = "none";  // config, file, derived or none: where the figures come from

  bool operator==(const Promise&) const = default;
  bool known() const {
    return iops || throughput || read_iops || write_iops || read_throughput || write_throughput;
  }
};

}  // namespace storage_probe
