// SPDX-License-Identifier: Apache-2.0
// The exposition*.cpp files are the only place where metrics have names; docs/metrics.md is the
// reference for users.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/units.h"
#include "model/snapshot.h"

namespace storage_probe::metrics {

// Figures that change without a new snapshot, read at each scrape.
struct LiveStatus {
  WallTime heartbeat;  // of the event loop
  Duration scheduler_lag{};
  std::uint64_t log_dropped = 0;
  std::map<std::pair<std::string, int>, std::uint64_t> http_requests;  // handler, status code
};

// The exposition of a snapshot, text format 0.0.4.
std::string render(const Snapshot& snapshot);
// The exposition of the live figures, build_info and process_* (from `procfs`/self; what cannot be
// read is left out).
std::string render_live(const LiveStatus& live, const std::string& procfs);

// render() once per snapshot, on first demand, kept until the next one comes: who gets the same
// pointer again has the same text. Empty for a null snapshot. Any thread.
class CachedExposition {
 public:
  std::shared_ptr<const std::string> text(const std::shared_ptr<const Snapshot>& snapshot);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Snapshot> of_;
  std::shared_ptr<const std::string> text_;
};

}  // namespace storage_probe::metrics
