// SPDX-License-Identifier: Apache-2.0
// What a run of one target is judged against, and the parts that it is made of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/promise.h"
#include "model/target.h"

namespace storage_probe {

// Credits that let a volume go beyond its baseline: it earns the baseline each second and pays for
// what it does, so that it gains what it leaves unused and loses what it uses above. Empty, it is
// held to the baseline.
struct Bucket {
  enum class Unit { ios, bytes };

  Unit unit = Unit::ios;
  double capacity = 0;     // credits: I/Os or bytes, above the baseline
  double baseline = 0;     // earned, and allowed when it is empty, per second
  double burst = 0;        // the most per second while it is not
  Bytes least_charge{};    // of bytes: what an I/O costs at least
  double read_weight = 1;  // of bytes: what a byte read costs

  bool operator==(const Bucket&) const = default;
};

struct Terms {
  std::string type;   // an id of the catalogue; empty: not known
  std::string as_of;  // of that row
  Promise volume;     // the baseline; `from` says where it is known from
  Promise instance;   // what this host may draw from all its volumes together
  Promise burst;      // beyond the baseline, for a while; empty: none
  std::vector<Bucket> buckets;
  Bytes io_cap{};                   // an I/O larger than this counts as several; 0: never
  double threshold = 0.9;           // delivered, as a share of the promise
  std::optional<double> objective;  // how much of the time, 0 to 1; empty: nobody promises
  bool accuses = true;              // false: the row is not confirmed or no promise is published
  bool limit_is_shared = false;     // the limit is that of all hosts that mount the file system
  std::string note;                 // why a figure is not known, and the cure; for people

  bool operator==(const Terms&) const = default;
  // What is judged against: the smaller of the volume's and the instance's.
  Promise promise() const;
};

// What a promises file or the operator says of volumes, by their ids.
using PromiseBook = std::map<std::string, VolumeSpec>;

}  // namespace storage_probe
