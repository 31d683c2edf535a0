// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition.h"

#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {

std::string render(const Snapshot& snapshot) {
  std::vector<Family> families;
  collect_probes(snapshot, families);
  collect_targets(snapshot, families);
  collect_exporter(snapshot, families);
  return serialize(families);
}

std::shared_ptr<const std::string> CachedExposition::text(
    const std::shared_ptr<const Snapshot>& snapshot) {
  const std::lock_guard lock(mutex_);
  if (!text_ || of_ != snapshot) {
    text_ = std::make_shared<const std::string>(snapshot ? render(*snapshot) : std::string());
    of_ = snapshot;
  }
  return text_;
}

}  // namespace storage_probe::metrics
