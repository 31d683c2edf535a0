// SPDX-License-Identifier: Apache-2.0
// Whether the time of the day lets probes start. Pure: the caller reads the clock and knows the
// time zone. A day on which clocks are changed is one of 24 hours here, too: what follows from it
// may be an hour off on that day, and is asked for again.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/daily_window.h"

namespace storage_probe::schedule {

// A time in which probes may not start.
struct Closed {
  std::string why;                    // "windows.quiet has 22:00-05:00"
  std::chrono::minutes opens_in{};    // from now; a whole day where it never does
  std::chrono::minutes stays_open{};  // from then, until it closes again

  bool operator==(const Closed&) const = default;
};

// `time` is the local time of the day. Empty: any probe may start.
std::optional<Closed> closed_to_all(const Windows& windows, std::chrono::minutes time);
// Empty: a capacity probe may start, as far as capacity windows and quiet times go.
std::optional<Closed> closed_to_capacity(const Windows& windows, std::chrono::minutes time);

}  // namespace storage_probe::schedule
