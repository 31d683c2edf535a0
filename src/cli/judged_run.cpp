// SPDX-License-Identifier: Apache-2.0
#include "cli/judged_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compliance/judge.h"

namespace storage_probe::cli {
namespace {

constexpr std::array kFromGoodToBad{kDone, kInconclusive, kNoncompliant, kFailed, kUsage};

void add_costs(ProbeReport& to, const ProbeReport& from) {
  for (const Operation op : kOperations) {
    to.measured.used[op] += from.measured.used[op];
    to.layout[op] += from.layout[op];
  }
  to.measured.elapsed += from.measured.elapsed;
  to.layout_elapsed += from.layout_elapsed;
}

JudgedRun judged(ProbeReport report, const Terms& terms) {
  JudgedRun run{std::move(report), terms.promise(), std::nullopt};
  const bool is_judged =
      run.report.outcome == Outcome::ok && run.report.spec.kind == Kind::capacity;
  if (is_judged) run.judgement = compliance::judge(run.report, terms, std::nullopt);
  return run;
}

}  // namespace

JudgedRun run_and_judge(const std::function<ProbeReport()>& run,
                        const std::function<Terms(const ProbeReport&)>& terms_of) {
  ProbeReport report = run();
  const Terms terms = terms_of(report);
  JudgedRun first = judged(std::move(report), terms);
  if (!first.judgement || first.judgement->verdict != Verdict::noncompliant) return first;
  JudgedRun second = judged(run(), terms);
  add_costs(second.report, first.report);
  return second;
}

int exit_code(const JudgedRun& run) {
  if (run.report.outcome != Outcome::ok) return kFailed;
  if (!run.judgement || !run.promise.known()) return kDone;
  switch (run.judgement->verdict) {
    case Verdict::compliant:
      return kDone;
    case Verdict::noncompliant:
      return kNoncompliant;
    case Verdict::inconclusive:
      return kInconclusive;
  }
  return kInconclusive;
}

int worse(int a, int b) {
  const auto rank = [](int code) {
    return std::find(kFromGoodToBad.begin(), kFromGoodToBad.end(), code) - kFromGoodToBad.begin();
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace storage_probe::cli
