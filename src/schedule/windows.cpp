// SPDX-License-Identifier: Apache-2.0
#include "schedule/windows.h"

#include <algorithm>

namespace storage_probe::schedule {
namespace {

using std::chrono::minutes;

constexpr minutes kDay{24 * 60};

bool contains(const DailyWindow& window, minutes time) {
  return window.from < window.to ? window.from <= time && time < window.to
                                 : window.from <= time || time < window.to;
}

const DailyWindow* find(const std::vector<DailyWindow>& windows, minutes time) {
  const auto found = std::find_if(windows.begin(), windows.end(), [&](const DailyWindow& window) {
    return contains(window, time);
  });
  return found == windows.end() ? nullptr : &*found;
}

std::string list(const std::vector<DailyWindow>& windows) {
  std::string text;
  for (const DailyWindow& window : windows) text += (text.empty() ? "" : ", ") + to_text(window);
  return text;
}

std::string closed_by_quiet(const Windows& windows, minutes time) {
  const DailyWindow* const window = find(windows.quiet, time);
  return window == nullptr ? "" : "windows.quiet has " + to_text(*window);
}

std::string closed_by_either(const Windows& windows, minutes time) {
  if (std::string why = closed_by_quiet(windows, time); !why.empty()) return why;
  if (windows.capacity.empty() || find(windows.capacity, time) != nullptr) return {};
  return "windows.capacity has only " + list(windows.capacity);
}

// Minute by minute: windows may overlap, touch each other and pass midnight.
template <typename Why>
std::optional<Closed> closed(minutes time, Why why) {
  Closed found{why(time), kDay, {}};
  if (found.why.empty()) return std::nullopt;
  minutes after{1};
  while (after < kDay && !why((time + after) % kDay).empty()) ++after;
  if (after == kDay) return found;
  found.opens_in = after;
  while (after < kDay && why((time + after) % kDay).empty()) ++after;
  found.stays_open = after - found.opens_in;
  return found;
}

}  // namespace

std::optional<Closed> closed_to_all(const Windows& windows, minutes time) {
  return closed(time, [&](minutes at) { return closed_by_quiet(windows, at); });
}

std::optional<Closed> closed_to_capacity(const Windows& windows, minutes time) {
  return closed(time, [&](minutes at) { return closed_by_either(windows, at); });
}

}  // namespace storage_probe::schedule
