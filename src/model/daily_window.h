// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace storage_probe {

// A part of every day, in local time: from one time of the day up to, and without, another. It
// passes midnight where the second is the earlier one.
struct DailyWindow {
  std::chrono::minutes from{};  // since midnight
  std::chrono::minutes to{};

  bool operator==(const DailyWindow&) const = default;
};

// "22:00-05:00"
std::string to_text(const DailyWindow& window);

// When probes may start.
struct Windows {
  std::vector<DailyWindow> capacity;  // only then capacity probes; empty: at any time
  std::vector<DailyWindow> quiet;     // no probe at all

  bool operator==(const Windows&) const = default;
};

}  // namespace storage_probe
