// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition.h"

#include "metrics/exposition_samples.h"

namespace storage_probe::metrics {
namespace {

// What a target with three probes and two labels of its own takes, rounded up: growing a text of
// megabytes step by step would double the time it takes to write.
constexpr std::uint64_t kBytesPerTarget = 16384;

}  // namespace

std::string render(const Snapshot& snapshot) {
  Page page(Bytes{(snapshot.targets.size() + 1) * kBytesPerTarget});
  collect_probes(snapshot, page);
  collect_verdicts(snapshot, page);
  collect_targets(snapshot, page);
  collect_exporter(snapshot, page);
  return page.take();
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
