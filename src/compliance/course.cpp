// SPDX-License-Identifier: Apache-2.0
#include "compliance/course.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace storage_probe::compliance {
namespace {

constexpr std::chrono::hours kRemembered{24};
constexpr std::size_t kEnough = 8;  // good runs, for a median that is one
constexpr std::size_t kMostKept = 128;
constexpr double kLeastChange = 0.2;  // below which no scatter makes a change worth a word
constexpr double kSpreads = 4;
constexpr double kNormal = 1.4826;  // the standard deviation of normal noise, in MADs
constexpr unsigned kRisesInARow = 2;
constexpr std::chrono::minutes kOnePair{5};  // runs further apart do not confirm each other

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// How far from the median a run may be, as a share of it, before it is news.
double tolerance(const Baseline& baseline) {
  return std::max(kLeastChange, kSpreads * baseline.spread);
}

// The first of two runs was below, and there is no second that counts.
Judgement not_confirmed(const RunRecord& run) {
  Judgement judgement = run.judgement.value_or(Judgement{});
  if (judgement.verdict != Verdict::noncompliant) return judgement;
  judgement.verdict = Verdict::inconclusive;
  judgement.reason = Reason::unsteady;
  judgement.detail += "; no second run confirmed it";
  return judgement;
}

bool is_promise_unknown(const Judgement& judgement) {
  return judgement.verdict == Verdict::inconclusive && judgement.reason == Reason::unknown_promise;
}

// Whether a run says anything about its volume: it was judged, or only lacks a promise.
bool counts(const RunRecord& run) {
  return run.judgement &&
         (run.judgement->verdict != Verdict::inconclusive || is_promise_unknown(*run.judgement));
}

// Slower than usual for a reason that is known, and no news.
bool is_out_of_credits(const RunRecord& run) {
  return run.judgement && run.judgement->reason == Reason::burst_exhausted;
}

}  // namespace

std::optional<Baseline> Course::baseline(const RunRecord& like) const {
  std::vector<double> figures;
  for (const Good& good : good_) {
    const bool is_alike = good.engine == like.engine && good.kernel == like.kernel &&
                          good.volume_id == like.volume_id;
    if (is_alike && like.ended - good.ended <= kRemembered) figures.push_back(good.figure);
  }
  if (figures.size() < kEnough) return std::nullopt;
  Baseline result{median_of(figures), 0, figures.size()};
  if (result.median <= 0) return std::nullopt;
  for (double& figure : figures) figure = std::abs(figure - result.median);
  // Of few runs the MAD is too small, by about a tenth of eight.
  const auto runs = static_cast<double>(result.runs);
  result.spread = kNormal * median_of(figures) / result.median * runs / (runs - 0.8);
  return result;
}

void Course::learn(const RunRecord& run, double figure) {
  good_.push_back({run.ended, figure, run.engine, run.kernel, run.volume_id});
  while (run.ended - good_.front().ended > kRemembered) good_.pop_front();
  if (good_.size() <= kMostKept) return;
  // Every second one: what is left is still spread over all of the time.
  std::deque<Good> fewer;
  for (std::size_t i = 0; i < good_.size(); i += 2) fewer.push_back(std::move(good_[i]));
  good_ = std::move(fewer);
}

bool Course::is_below_usual(const RunRecord& run) const {
  if (run.evidence == Evidence::passive || !run.iops || is_out_of_credits(run)) return false;
  const auto usual = baseline(run);
  return usual && *run.iops < usual->median * (1 - tolerance(*usual));
}

bool Course::is_low(const RunRecord& run) const {
  return run.judgement->verdict == Verdict::noncompliant || is_below_usual(run);
}

Course::Step Course::on_run(const RunRecord& run) {
  if (run.evidence == Evidence::probe) last_ = run;
  return run.judgement ? on_capacity_run(run) : on_latency_run(run);
}

Course::Step Course::on_capacity_run(const RunRecord& run) {
  Step step;
  if (!counts(run)) {
    first_.reset();
    step.verdict = run.judgement;
    return step;
  }
  if (is_low(run)) {
    if (first_) return confirm(run);
    first_ = run;
    step.wants_confirmation = true;
    return step;
  }
  first_.reset();
  has_drop_ = false;
  step.verdict = run.judgement;
  const bool is_usual = run.evidence == Evidence::probe && !is_out_of_credits(run);
  if (is_usual && run.iops) learn(run, *run.iops);
  return step;
}

// Twice in a row below the promise, or twice below what is usual.
Course::Step Course::confirm(const RunRecord& second) {
  const auto first = std::exchange(first_, std::nullopt);
  has_drop_ = true;
  Step step;
  const bool both_below =
      first && first->judgement && first->judgement->verdict == Verdict::noncompliant;
  step.verdict = both_below ? second.judgement : not_confirmed(second);
  return step;
}

Course::Step Course::on_no_confirmation() {
  Step step;
  if (const auto first = std::exchange(first_, std::nullopt)) step.verdict = not_confirmed(*first);
  return step;
}

Course::Step Course::on_latency_run(const RunRecord& run) {
  Step step;
  if (!run.latency) return step;
  const double figure = to_seconds(*run.latency);
  const auto usual = baseline(run);
  if (usual && figure > usual->median * (1 + tolerance(*usual))) {
    ++risen_;
    step.is_suspicious = risen_ == kRisesInARow;
    return step;
  }
  risen_ = 0;
  learn(run, figure);
  return step;
}

// Which runs were pairs is not kept, but when they were.
void Course::remember(const RunRecord& run) {
  if (run.outcome != Outcome::ok) return;
  if (first_ && run.ended - first_->ended > kOnePair) first_.reset();
  static_cast<void>(on_run(run));
}

std::optional<Baseline> Course::iops_baseline() const {
  return last_ && last_->judgement ? baseline(*last_) : std::nullopt;
}

std::optional<Baseline> Course::latency_baseline() const {
  return last_ && !last_->judgement ? baseline(*last_) : std::nullopt;
}

}  // namespace storage_probe::compliance
