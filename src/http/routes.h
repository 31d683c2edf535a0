// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/published.h"
#include "base/units.h"
#include "http/server.h"
#include "metrics/exposition.h"
#include "model/snapshot.h"

namespace storage_probe::http {

struct RouteOptions {
  std::string telemetry_path = "/metrics";
  std::string procfs = "/proc";
  std::function<WallTime()> now = &std::chrono::system_clock::now;
};

// The paths that the exporter serves: the metrics, `/` (the landing page, unless the metrics are
// there), `/-/healthy` (200 while the heartbeat in `live` is younger than 30 s, else 503) and
// `/-/ready` (200 once the snapshot is ready, else 503). `snapshots`, `exposition` and whatever
// `live` refers to must outlive the server that gets the routes; `live` is called on its threads.
std::vector<Route> standard_routes(const Published<Snapshot>& snapshots,
                                   metrics::CachedExposition& exposition,
                                   std::function<metrics::LiveStatus()> live,
                                   const RouteOptions& options);

}  // namespace storage_probe::http
