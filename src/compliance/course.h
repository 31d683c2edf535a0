// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "base/units.h"
#include "model/run_record.h"
#include "model/verdict.h"

namespace storage_probe::compliance {

// The middle of what a probe of one volume brought in the last 24 h, and how far its runs scatter.
struct Baseline {
  double median = 0;
  double spread = 0;  // a share of the median
  std::size_t runs = 0;
};

// The judged life of one probe of one target: its own median, a fall that is confirmed by a second
// run or not, and a drop that stands until a good run. Deciding only: time comes in with the
// records. Owned by the service, on the loop's thread.
class Course {
 public:
  // What a run means once its predecessors are known.
  struct Step {
    // What counts: one answer of a run, or of a run and the one that repeats it together. Empty
    // while the second one is awaited.
    std::optional<Judgement> verdict;
    bool wants_confirmation = false;  // a second run within 60 s
    bool is_suspicious = false;  // of a latency probe: a confirmed rise, worth a capacity probe
  };

  // A finished run, judged where it is a capacity run. Records of one probe, in order of time.
  Step on_run(const RunRecord& run);
  // The second run did not take place, or did not finish: the first stands alone and accuses
  // nobody.
  Step on_no_confirmation();
  // A run of today read back after a restart: teaches the median and the drop, asks for nothing.
  void remember(const RunRecord& run);

  bool awaits_confirmation() const { return first_.has_value(); }
  bool has_confirmed_drop() const { return has_drop_; }
  // Empty before there are enough good runs, with the same engine and kernel, on the same volume.
  std::optional<Baseline> iops_baseline() const;
  std::optional<Baseline> latency_baseline() const;

 private:
  // What is kept of a good run.
  struct Good {
    WallTime ended;
    double figure = 0;  // IOPS, or seconds
    Engine engine = Engine::automatic;
    std::string kernel, volume_id;
  };

  Step on_capacity_run(const RunRecord& run);
  Step on_latency_run(const RunRecord& run);
  Step confirm(const RunRecord& second);
  void learn(const RunRecord& run, double figure);
  std::optional<Baseline> baseline(const RunRecord& like) const;
  bool is_below_usual(const RunRecord& run) const;
  bool is_low(const RunRecord& run) const;

  std::deque<Good> good_;           // of the last 24 h, bounded; the oldest first
  std::optional<RunRecord> last_;   // whose like a baseline is of
  std::optional<RunRecord> first_;  // below, and not yet confirmed
  bool has_drop_ = false;
  unsigned risen_ = 0;  // latency runs in a row that were slower than usual
};

}  // namespace storage_probe::compliance
