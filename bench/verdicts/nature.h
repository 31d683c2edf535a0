// SPDX-License-Identifier: Apache-2.0
// What a simulated volume, its host and its probes are like, and what is asked of the verdicts.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/units.h"

namespace storage_probe::verdicts {

enum class Trouble {
  none,
  processor,  // this host cannot do more than `trouble_level`
  cache,      // most of the I/O never reaches the device
  hang,       // for an hour at a time nothing is answered
};

enum class Load {
  none,
  steady,   // open loop, evenly
  volleys,  // open loop, ten volleys a second with a pause after each
  endless,  // as much as the volume gives
  visits,   // steady, for a minute out of each eleven: it may come in the middle of a run
};

// All rates are shares of the promise, so that 1 is the promise.
struct Nature {
  double promise = 3000;  // IOPS
  double level = 1;       // what the volume can do on average
  double spread = 0.002;  // standard deviation of what runs get, as a share of `level`
  double floor = 0.9;     // less than this it never does while it is well; 0: no such floor
  Duration memory{};      // how long what it can do stays alike; 0: each run is a new draw
  double drop = 0;        // how much less it does while it is ill, as a share
  Trouble trouble = Trouble::none;
  double trouble_level = 0.6;
  Load load = Load::none;
  double demand = 0;         // of the load
  double instance = 0;       // what the host may draw from its volumes; 0: no limit
  bool has_credits = false;  // 5.4 million, and ten times the promise while they last
};

struct Case {
  std::string name;
  Nature nature;
  std::chrono::minutes every{15};
  double years = 20;  // of volumes, in all
  // What is held against the aims; elsewhere figures are shown for what they are.
  bool must_find = false;       // illness, within three runs
  bool must_not_alarm = false;  // while the volume is well
};

std::vector<Case> all_cases();

}  // namespace storage_probe::verdicts
