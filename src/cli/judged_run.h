// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "cli/options.h"
#include "model/probe_report.h"
#include "model/terms.h"
#include "model/verdict.h"

namespace storage_probe::cli {

// A run, and what it proves.
struct JudgedRun {
  ProbeReport report;
  Promise promise;                     // what it was judged against
  std::optional<Judgement> judgement;  // of a finished capacity probe
};

// Runs a probe and judges it. A run below the promise is repeated once, at once: both together are
// one verdict, and the figures are the second one's; what both have used is added up.
JudgedRun run_and_judge(const std::function<ProbeReport()>& run,
                        const std::function<Terms(const ProbeReport&)>& terms_of);

// What the shell is told.
int exit_code(const JudgedRun& run);
// Of several runs the worst: a failed one, then a verdict against the volume, then none.
int worse(int a, int b);

}  // namespace storage_probe::cli
