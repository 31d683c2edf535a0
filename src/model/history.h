// SPDX-License-Identifier: Apache-2.0
// What a daemon leaves to the next one, besides what it has spent.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/units.h"
#include "model/promise.h"
#include "model/run_record.h"
#include "model/snapshot.h"
#include "model/verdict.h"

namespace storage_probe {

// The last finished run of a probe, as it is shown.
struct LatestResult {
  std::string target, probe;
  RunResult result;
  std::optional<Judgement> verdict;  // the current one of a capacity probe
  WallTime verdict_since;
  std::optional<bool> compliant;
  std::optional<WallTime> last_judged;
};

// What was left of a volume's credits.
struct CreditsRecord {
  std::string target, volume_id;
  WallTime when;
  std::string levels;  // compliance::Burst's own line
};

// A promise that has replaced another one: for a day the lower of both holds.
struct PromiseRecord {
  std::string target, volume_id;
  WallTime since;
  Promise before, now;
};

using HistoryRecord = std::variant<RunRecord, LatestResult, CreditsRecord, PromiseRecord>;

}  // namespace storage_probe
