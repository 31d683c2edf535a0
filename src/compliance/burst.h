// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/device_second.h"
#include "model/probe_report.h"
#include "model/terms.h"

namespace storage_probe::compliance {

// What is left of the credits, of the emptiest bucket, 0 to 1: between these. Nobody tells a guest
// its credits, so that the truth is only bounded by what was seen.
struct Balance {
  double low = 0, high = 1;
};

// Follows the buckets of one volume from what its device completes, in everybody's name. What
// happened before the first look is not known: the bounds start wide, and meet after a time of
// rest that fills the bucket, or a throttling that empties it. Owned by the service, on the loop's
// thread.
class Burst {
 public:
  Burst() = default;
  explicit Burst(const Terms& terms);

  void add(const DeviceSecond& second);
  // Nothing was looked at for so long: credits may have been spent, or earned.
  void skip(Duration unseen);
  // A run that asked for more than the baseline and was given the baseline says that the bucket is
  // empty; one that was given more, that it is not. Head and tail of a rate that fell in mid-run
  // say when.
  void note_run(const ProbeReport& report);
  // Empty where the volume has no buckets.
  std::optional<Balance> balance() const;

  // For a daemon that starts anew: one line of text, and back. What is not of these buckets is
  // refused (false) and changes nothing.
  std::string save() const;
  bool restore(const std::string& line);

 private:
  struct Level {
    Bucket bucket;
    double low = 0, high = 0;  // credits
  };
  std::vector<Level> buckets_;
  Bytes io_cap_{};
};

}  // namespace storage_probe::compliance
