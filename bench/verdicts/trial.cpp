// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <variant>

#include "budget/ledger.h"
#include "compliance/burst.h"
#include "compliance/course.h"
#include "compliance/judge.h"
#include "compliance/passive.h"
#include "config/config.h"
#include "schedule/scheduler.h"
#include "volume.h"

namespace storage_probe::verdicts {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr SteadyTime kBegin{hours(1)};
constexpr WallTime kWallBegin{hours(500'000)};
constexpr seconds kSecondOpinion{10};  // after the first, as the service asks for it
constexpr Duration kIdleLatency = std::chrono::microseconds(700);
constexpr schedule::ProbeId kProbe{0, 0};
constexpr std::uint64_t kFewRuns = 3;

config::Config config_of(const Case& of) {
  Target target;
  target.name = "data";
  target.path = "/data";
  target.volume.promise.iops = of.nature.promise;
  target.probes = {{*find_preset("randread"), of.every}};
  target.probes[0].spec.queue_depth = 32;
  config::Config config;
  config.targets = {target};
  return config;
}

std::string text_of(Verdict verdict, Reason reason) {
  return std::string(to_text(verdict)) + "/" + std::string(to_text(reason));
}

class Trial {
 public:
  Trial(const Case& of, double years, std::uint64_t seed)
      : end_(kBegin + from_seconds(years * 365.25 * 86400)),
        has_load_(of.nature.load != Load::none),
        volume_(of, seed, end_),
        terms_(volume_.terms()),
        config_(config_of(of)),
        scheduler_(config_, ledger_, std::to_string(seed), now_),
        burst_(terms_) {
    passive_.expect(terms_, kIdleLatency);
    tally_.years = years;
  }

  Tally run() {
    ledger_.set_allowance("data", {hours(24), Bytes{1ULL << 50U}, Ops{1ULL << 40U}}, now_);
    while (now_ < end_) {
      facts_.now = now_;
      facts_.stuck.clear();
      facts_.busy.clear();
      if (volume_.hangs(now_)) facts_.stuck.insert("data");
      if (volume_.is_busy(now_)) facts_.busy["data"] = "others";
      decide();
    }
    close_illness();
    return tally_;
  }

 private:
  void decide() {
    const schedule::Decision decision = scheduler_.next(facts_);
    if (const auto* start = std::get_if<schedule::Start>(&decision)) {
      run_probe(*start);
    } else if (std::holds_alternative<schedule::Skip>(decision)) {
      ++tally_.skipped;
      if (course_.awaits_confirmation() && !first_is_passive_)
        conclude(course_.on_no_confirmation(), first_, true);
    } else {
      // A second opinion that the application's load gives may be asked for meanwhile.
      wait_until(std::min(std::get<schedule::WaitUntil>(decision).when, end_));
    }
  }

  void wait_until(SteadyTime when) {
    if (!has_load_) {
      now_ = std::max(when, now_ + Duration(1));
      return;
    }
    const bool was_busy = volume_.is_busy(now_);
    do {
      now_ += seconds(1);
      look();
    } while (now_ < when && volume_.is_busy(now_) == was_busy && !is_asked_);
    is_asked_ = false;
  }

  void look() {
    const bool was_dry = volume_.is_dry();
    const DeviceSecond second = volume_.second(now_);
    if (volume_.is_dry() != was_dry) turned_dry_ = now_;
    burst_.add(second);
    passive_.add(second);
    const auto found = passive_.take(burst_.balance());
    if (!found) return;
    RunRecord record = record_of(found->judgement, found->iops);
    record.evidence = Evidence::passive;
    Truth truth;
    truth.is_ill = volume_.illness(now_) > 0;
    truth.is_between = truth.is_ill != (volume_.illness(now_ - found->length) > 0);
    truth.because = truth.is_ill ? Reason::below_promise : Reason::ok;
    if (volume_.is_dry()) truth.because = Reason::burst_exhausted;
    if (now_ - turned_dry_ <= found->length) truth.is_between = true;
    take(record, truth);
  }

  void run_probe(const schedule::Start& start) {
    const auto result = volume_.run(config_.targets[0].probes[0].spec, now_);
    now_ += result.report.measured.elapsed;
    ledger_.settle(start.reservation, {}, now_);
    scheduler_.on_finished(start.id, schedule::Ending::finished, now_);
    burst_.note_run(result.report);
    const Judgement judgement = compliance::judge(result.report, terms_, burst_.balance());
    take(record_of(judgement, compliance::achieved(result.report, terms_).iops), result.truth);
  }

  RunRecord record_of(const Judgement& judgement, double iops) const {
    RunRecord record;
    record.ended = kWallBegin + (now_ - kBegin);
    record.volume_id = "vol-1";
    record.engine = Engine::io_uring;
    record.kernel = "6.1";
    record.iops = iops;
    record.judgement = judgement;
    return record;
  }

  void take(const RunRecord& record, const Truth& truth) {
    ++tally_.runs;
    begin_illness();
    const bool had_drop = course_.has_confirmed_drop();
    const bool is_second = course_.awaits_confirmation();
    const auto step = course_.on_run(record);
    const bool is_true = truth.is_ill || (is_second && first_.is_ill);
    if (!had_drop && course_.has_confirmed_drop())
      ++(is_true ? tally_.true_drops : tally_.false_drops);
    note_illness();
    conclude(step, truth, is_second);
    if (!step.wants_confirmation) return;
    first_ = truth;
    first_is_passive_ = record.evidence == Evidence::passive;
    is_asked_ = true;
    scheduler_.request(kProbe, now_ + kSecondOpinion);
  }

  // `of_pair`: one verdict for two runs, which may contradict each other.
  void conclude(const compliance::Course::Step& step, const Truth& truth, bool of_pair) {
    if (!step.verdict) return;
    const Judgement& said = *step.verdict;
    ++tally_.verdicts[{said.verdict, said.reason}];
    if (is_right(said, truth, of_pair)) return;
    ++tally_.wrong;
    ++tally_.faults[text_of(said.verdict, said.reason) + " for " +
                    std::string(to_text(truth.because))];
  }

  static bool is_right(const Judgement& said, const Truth& truth, bool of_pair) {
    if (said.reason == truth.because || truth.is_between) return true;
    return said.reason == Reason::unsteady && (truth.may_be_unsteady || of_pair);
  }

  void begin_illness() {
    const std::size_t illness = volume_.illness(now_);
    if (illness == illness_) return;
    close_illness();
    illness_ = illness;
    runs_in_illness_ = 0;
    is_found_ = false;
  }

  void note_illness() {
    if (illness_ == 0) return;
    ++runs_in_illness_;
    if (is_found_ || !course_.has_confirmed_drop()) return;
    is_found_ = true;
    ++tally_.found;
    tally_.runs_to_find += runs_in_illness_;
    if (runs_in_illness_ <= kFewRuns) ++tally_.found_in_three;
  }

  void close_illness() {
    if (illness_ > 0 && (is_found_ || runs_in_illness_ >= kFewRuns)) ++tally_.illnesses;
  }

  SteadyTime now_ = kBegin, turned_dry_;
  SteadyTime end_;
  bool has_load_;
  Volume volume_;
  Terms terms_;
  config::Config config_;
  budget::Ledger ledger_;
  schedule::Scheduler scheduler_;
  schedule::Facts facts_{kBegin, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  compliance::Burst burst_;
  compliance::Passive passive_;
  compliance::Course course_;
  Truth first_;
  bool first_is_passive_ = false, is_asked_ = false;
  std::size_t illness_ = 0;
  std::uint64_t runs_in_illness_ = 0;
  bool is_found_ = false;
  Tally tally_;
};

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  years += other.years;
  runs += other.runs;
  for (const auto& [key, count] : other.verdicts) verdicts[key] += count;
  for (const auto& [key, count] : other.faults) faults[key] += count;
  wrong += other.wrong;
  illnesses += other.illnesses;
  found_in_three += other.found_in_three;
  found += other.found;
  runs_to_find += other.runs_to_find;
  true_drops += other.true_drops;
  false_drops += other.false_drops;
  skipped += other.skipped;
  return *this;
}

double Tally::recall() const {
  return illnesses == 0 ? 0 : static_cast<double>(found_in_three) / static_cast<double>(illnesses);
}

double Tally::precision() const {
  const std::uint64_t all = true_drops + false_drops;
  return all == 0 ? 1 : static_cast<double>(true_drops) / static_cast<double>(all);
}

double Tally::alarms_per_year() const { return static_cast<double>(false_drops) / years; }

// Of a Poisson count: exactly 3.0 for none; else the normal approximation of its square root.
double Tally::most_alarms_per_year() const {
  if (false_drops == 0) return 3.0 / years;
  const double root = std::sqrt(static_cast<double>(false_drops) + 1) + 1.645 / 2;
  return root * root / years;
}

Tally try_one(const Case& of, double years, std::uint64_t seed) {
  return Trial(of, years, seed).run();
}

}  // namespace storage_probe::verdicts
