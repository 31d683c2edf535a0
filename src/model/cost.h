// SPDX-License-Identifier: Apache-2.0
// What a configuration costs at most, before anything has run: made by schedule, shown by cli and
// wire. Usages count what the budget counts, so the time of latency probes is not in them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "model/probe_spec.h"
#include "model/terms.h"

namespace storage_probe {

struct ProbeCost {
  std::string probe;
  Duration every{};
  double runs = 0;                        // a day, as the schedule has them
  double paid_runs = 0;                   // of these what the allowance pays for, each at its worst
  Usage run;                              // one of them at its worst
  Usage day;                              // of the paid ones
  Bytes written;                          // a day, of these bytes
  std::optional<double> promise_share;    // of what the promise allows in a day
  std::optional<Duration> added_latency;  // what an I/O of others may wait behind the probe's queue
  double allowance_share = 0;             // a day, of what it uses most of
};

// Credits of one of the volume's buckets.
struct CreditUse {
  Bucket::Unit unit = Bucket::Unit::ios;
  double day = 0;           // spent by probes
  double earned_share = 0;  // of what the volume earns in a day
};

// What is billed for I/O, in US dollars.
struct Bill {
  double day = 0;
  double once = 0;  // for the probe file
  std::string region, as_of, source;
  bool confirmed = true;
};

// What probing costs besides, by the type of the volume. Empty where it has neither credits nor
// prices.
struct TypeCost {
  std::string type;
  std::vector<CreditUse> credits;
  std::optional<Bill> bill;
  std::vector<std::string> warnings;  // of probes that do not fit the type, a sentence each
};

struct TargetCost {
  std::string target;
  std::vector<ProbeCost> probes;
  Usage allowance;  // of a day; no time: not limited
  Usage layout;     // once
  Usage day;
  Bytes written;
  std::optional<double> promise_share;
  double allowance_share = 0;
  TypeCost by_type = {};
};

struct PlanCost {
  std::vector<TargetCost> targets;
  Usage day;
  Bytes written;
  Usage layout;
};

inline constexpr unsigned kDaysOfMonth = 30;

}  // namespace storage_probe
