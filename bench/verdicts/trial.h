// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/verdict.h"
#include "nature.h"

namespace storage_probe::verdicts {

// What came out, against what was true.
struct Tally {
  double years = 0;  // of volumes
  std::uint64_t runs = 0;
  std::map<std::pair<Verdict, Reason>, std::uint64_t> verdicts;
  std::uint64_t wrong = 0;                      // verdicts with another reason than the true one
  std::map<std::string, std::uint64_t> faults;  // the same, by what was said and what was true
  std::uint64_t illnesses = 0;                  // in which there was a run
  std::uint64_t found_in_three = 0, found = 0;
  std::uint64_t runs_to_find = 0;  // summed up over those that were found
  std::uint64_t true_drops = 0, false_drops = 0;
  std::uint64_t skipped = 0;

  Tally& operator+=(const Tally& other);
  double recall() const;     // within three runs
  double precision() const;  // of confirmed drops
  double alarms_per_year() const;
  // The largest rate of alarms at which so few would still be seen once in twenty times.
  double most_alarms_per_year() const;
};

// One volume for `years`: its probes on the scheduler's turns, judged one after the other as the
// service does it, with a clock that jumps.
Tally try_one(const Case& of, double years, std::uint64_t seed);

}  // namespace storage_probe::verdicts
