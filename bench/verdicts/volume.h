// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "model/device_second.h"
#include "model/probe_report.h"
#include "model/terms.h"
#include "model/verdict.h"
#include "nature.h"

namespace storage_probe::verdicts {

// What is true of a run, whatever it has measured.
struct Truth {
  bool delivers = true;          // at least 90 % of the promise was to be had
  bool is_ill = false;           // less than usual was, because of an illness
  Reason because = Reason::ok;   // what a right answer gives as its reason
  bool may_be_unsteady = false;  // what it could do moved while it was measured
  bool is_between = false;       // one thing was true of a part of it, and another of the rest
};

struct Run {
  ProbeReport report;
  Truth truth;
};

// A volume with a known truth, on a host with a known load. Time comes in with each call and never
// goes back. The doubts of its runs are found by the code that finds them in real ones.
class Volume {
 public:
  // Illness and hanging come and go until `end`, and last for several probes.
  Volume(const Case& of, std::uint64_t seed, SteadyTime end);

  Terms terms() const;
  Run run(const ProbeSpec& spec, SteadyTime start);
  // What the device completed for the load in the second that ends now.
  DeviceSecond second(SteadyTime end);

  bool is_busy(SteadyTime now) const;  // so that a capacity probe would wait
  bool hangs(SteadyTime now) const;
  bool is_dry() const { return nature_.has_credits && credits_ < nature_.promise; }
  // The illness that lasts now, counted from 1; 0: none.
  std::size_t illness(SteadyTime now) const;
  std::size_t illnesses() const { return ill_.size(); }

 private:
  struct Span {
    SteadyTime begin, end;
  };
  static std::size_t place_in(const std::vector<Span>& spans, SteadyTime now);
  std::vector<Span> spans(Duration least_pause, Duration length, SteadyTime end);

  double chance() { return normal_(random_); }
  double can_do(SteadyTime now);  // share of the promise
  double demand(SteadyTime now) const;
  std::vector<double> windows(double mean, std::size_t count);
  void spend(double ios);
  Run measured(const ProbeSpec& spec, double ours, double others, Duration duration);
  void find_doubts(Run& run, double others) const;
  Truth truth_of(double total, bool is_ended_early, SteadyTime start) const;

  Nature nature_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<Span> ill_, hanging_;
  SteadyTime moved_;    // when the slow scatter was last looked at
  double scatter_ = 0;  // in standard deviations
  double credits_ = 0;
};

}  // namespace storage_probe::verdicts
