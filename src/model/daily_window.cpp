// SPDX-License-Identifier: Apache-2.0
#include "model/daily_window.h"

#include <array>
#include <cstdio>

namespace storage_probe {

std::string to_text(const DailyWindow& window) {
  const auto hours = [](std::chrono::minutes time) { return static_cast<int>(time.count() / 60); };
  const auto rest = [](std::chrono::minutes time) { return static_cast<int>(time.count() % 60); };
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%02d:%02d-%02d:%02d", hours(window.from),
                rest(window.from), hours(window.to), rest(window.to));
  return text.data();
}

}  // namespace storage_probe
