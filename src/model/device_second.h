// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"

namespace storage_probe {

// What the device under a target completed between two looks at its counters, about a second:
// everybody's I/O.
struct DeviceSecond {
  SteadyTime end;
  Duration length{};
  Ops reads, writes;
  Bytes bytes_read, bytes_written;
  double in_flight = 0;         // on average, from the time that requests spent queued or served
  double in_flight_at_end = 0;  // at its last instant
  bool has_ours = false;        // a run of ours used the device meanwhile
};

}  // namespace storage_probe
