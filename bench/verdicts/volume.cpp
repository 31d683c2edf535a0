// SPDX-License-Identifier: Apache-2.0
#include "volume.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/rate_profile.h"
#include "worker/doubts.h"

namespace storage_probe::verdicts {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kThreshold = 0.9;
constexpr double kOneIo = 0.0002;  // of the promise, in a run of 6,000
constexpr double kBusy = 0.5;      // as targets have it by default
constexpr Bytes kBlock{4096};
constexpr milliseconds kWindow{100};
constexpr std::size_t kWindows = 20;
constexpr std::size_t kWindowsUntilBusy = 5;
constexpr double kIdleLatency = 0.0007;  // seconds
constexpr double kCredits = 5.4e6;
constexpr double kBurst = 10;  // of the promise
constexpr double kVolleysPerSecond = 10;
constexpr seconds kVisits{667};    // that slots of probes fall anywhere into
constexpr double kOpenQueue = 64;  // what load without end keeps in flight

std::uint64_t count_of(double number) {
  return static_cast<std::uint64_t>(std::llround(std::max(number, 0.0)));
}

}  // namespace

Volume::Volume(const Case& of, std::uint64_t seed, SteadyTime end)
    : nature_(of.nature), random_(seed), credits_(kCredits) {
  const Duration lasts = 10 * Duration(of.every);
  const Duration pause = 30 * Duration(of.every);
  if (nature_.drop > 0) ill_ = spans(pause, lasts, end);
  if (nature_.level < kThreshold) ill_ = {{SteadyTime{}, end}};
  if (nature_.trouble == Trouble::hang) hanging_ = spans(hours(60), hours(1), end);
}

std::vector<Volume::Span> Volume::spans(Duration least_pause, Duration length, SteadyTime end) {
  std::vector<Span> result;
  std::uniform_real_distribution<double> more(1, 2);
  SteadyTime begin{};
  while (true) {
    begin += from_seconds(to_seconds(least_pause) * more(random_));
    if (begin + length > end) return result;
    result.push_back({begin, begin + length});
    begin += length;
  }
}

std::size_t Volume::place_in(const std::vector<Span>& spans, SteadyTime now) {
  const auto next =
      std::upper_bound(spans.begin(), spans.end(), now,
                       [](SteadyTime time, const Span& span) { return time < span.begin; });
  const auto begun = static_cast<std::size_t>(next - spans.begin());
  return begun > 0 && now < spans[begun - 1].end ? begun : 0;
}

bool Volume::hangs(SteadyTime now) const { return place_in(hanging_, now) > 0; }
std::size_t Volume::illness(SteadyTime now) const { return place_in(ill_, now); }

Terms Volume::terms() const {
  Terms terms;
  terms.volume.iops = nature_.promise;
  terms.volume.from = "config";
  if (nature_.instance > 0) terms.instance.iops = nature_.instance * nature_.promise;
  if (nature_.has_credits) {
    terms.burst.iops = kBurst * nature_.promise;
    terms.buckets.push_back(
        {Bucket::Unit::ios, kCredits, nature_.promise, kBurst * nature_.promise, {}, 1});
  }
  return terms;
}

// A draw of its own for each run, or one that forgets the last with time. Below the floor it is
// thrown back: what is left of the scatter there lies above.
double Volume::can_do(SteadyTime now) {
  const double past = nature_.memory > Duration{}
                          ? std::exp(-to_seconds(now - moved_) / to_seconds(nature_.memory))
                          : 0;
  scatter_ = past * scatter_ + std::sqrt(1 - past * past) * chance();
  moved_ = now;
  double share = nature_.level * std::max(1 + nature_.spread * scatter_, 0.0);
  if (share < nature_.floor) share = 2 * nature_.floor - share;
  if (nature_.drop > 0 && illness(now) > 0) share *= 1 - nature_.drop;
  if (nature_.has_credits) share *= std::clamp(1 + credits_ / (2 * nature_.promise), 1.0, kBurst);
  return nature_.instance > 0 ? std::min(share, nature_.instance) : share;
}

double Volume::demand(SteadyTime now) const {
  switch (nature_.load) {
    case Load::none:
      return 0;
    case Load::steady:
    case Load::volleys:
    case Load::endless:
      return nature_.demand;
    case Load::visits:
      break;
  }
  // Of what drains credits the hours before noon; else a minute of each eleven.
  const Duration period = nature_.has_credits ? Duration(hours(24)) : Duration(kVisits);
  const Duration part = nature_.has_credits ? Duration(hours(12)) : Duration(minutes(1));
  return now.time_since_epoch() % period < part ? nature_.demand : 0;
}

bool Volume::is_busy(SteadyTime now) const { return demand(now - seconds(5)) > kBusy; }

// Windows of one run scatter half as much as runs do, about a mean that is what it is.
std::vector<double> Volume::windows(double mean, std::size_t count) {
  std::vector<double> rates(count);
  double sum = 0;
  for (double& rate : rates) {
    rate = std::max(1 + nature_.spread / 2 * chance(), 0.01);
    sum += rate;
  }
  for (double& rate : rates) rate *= mean * static_cast<double>(count) / sum;
  return rates;
}

void Volume::spend(double ios) { credits_ = std::clamp(credits_ - ios, 0.0, kCredits); }

// `total`: what was to be had, as a share of the promise.
Truth Volume::truth_of(double total, bool is_ended_early, SteadyTime start) const {
  Truth truth;
  const double owed = nature_.instance > 0 ? nature_.instance : 1;
  truth.delivers = total >= kThreshold * owed;
  truth.is_ill = illness(start) > 0;
  truth.may_be_unsteady = nature_.spread >= 0.05;
  truth.because = truth.delivers ? Reason::ok : Reason::below_promise;
  if (nature_.instance > 0) truth.because = Reason::instance_limited;
  // An I/O more or less decides there.
  if (std::abs(total - kThreshold * owed) < kOneIo) truth.is_between = true;
  if (nature_.has_credits && total < 2) truth.because = Reason::burst_exhausted;
  if (nature_.has_credits && total > 1 && total < kBurst) truth.is_between = true;
  // Others' I/O is delivery: the early end excuses only what is below.
  if (is_ended_early && !truth.delivers) truth.because = Reason::contended;
  if (nature_.trouble == Trouble::processor) truth.because = Reason::cpu_limited;
  if (nature_.trouble == Trouble::cache) truth.because = Reason::cache_suspect;
  return truth;
}

Run Volume::run(const ProbeSpec& spec, SteadyTime start) {
  const double total = can_do(start);
  const double wanted = std::max(demand(start), demand(start + kWindows * kWindow));
  const bool is_ended_early = wanted > kBusy;
  const double others = std::min(wanted, total);
  double ours = total - others;
  if (nature_.trouble == Trouble::processor) ours = std::min(ours, nature_.trouble_level);
  if (nature_.trouble == Trouble::cache) ours *= 20;
  if (is_ended_early) ours = std::max(ours, 0.1);
  const auto count = is_ended_early ? kWindowsUntilBusy : kWindows;
  Run result = measured(spec, ours * nature_.promise, others * nature_.promise, count * kWindow);
  result.report.measured.stopped_by = is_ended_early ? StopReason::busy : StopReason::time;
  result.truth = truth_of(total, is_ended_early, start);
  find_doubts(result, others * nature_.promise);
  const double seconds_of_run = to_seconds(result.report.measured.duration);
  if (nature_.has_credits) spend((ours - 1) * nature_.promise * seconds_of_run);
  return result;
}

Run Volume::measured(const ProbeSpec& spec, double ours, double others, Duration duration) {
  Run result;
  ProbeReport& report = result.report;
  report.spec = spec;
  report.outcome = Outcome::ok;
  report.engine = Engine::io_uring;
  Measurement& measured = report.measured;
  measured.duration = duration;
  measured.elapsed = duration + milliseconds(250);
  const auto count = static_cast<std::size_t>(duration / kWindow);
  measured.profile = engine::profile_of(windows(ours, count), kWindow);
  OperationStats& reads = measured.operations[Operation::read];
  reads.ios = count_of(ours * to_seconds(duration));
  reads.bytes = Bytes{reads.ios * kBlock.value};
  reads.latency.record(from_seconds(spec.queue_depth.value_or(1) / ours), reads.ios);
  const double load = nature_.trouble == Trouble::processor ? 0.95 : 0.1;
  measured.cpu_busiest = from_seconds(load * to_seconds(duration));
  DeviceActivity& device = report.device.emplace();
  device.name = "nvme1n1";
  device.other_iops = others;
  device.other_throughput = others * static_cast<double>(kBlock.value);
  device.ios = reads.ios + count_of(others * to_seconds(duration));
  if (nature_.trouble == Trouble::cache) device.ios = reads.ios / 20;
  device.bytes = Bytes{device.ios * kBlock.value};
  return result;
}

void Volume::find_doubts(Run& run, double others) const {
  ProbeReport& report = run.report;
  const OperationStats& reads = report.measured.operations[Operation::read];
  worker::RunFacts facts;
  facts.witness = worker::RunFacts::Witness::device;
  const double seconds_of_run = to_seconds(report.measured.duration);
  const std::uint64_t of_others = count_of(others * seconds_of_run);
  facts.counted = {{}, report.device->bytes, Ops{report.device->ios}};
  facts.ours = {{}, reads.bytes, Ops{reads.ios}};
  if (nature_.trouble != Trouble::cache)
    facts.counted = {{}, Bytes{(reads.ios + of_others) * kBlock.value}, Ops{reads.ios + of_others}};
  worker::Background background;
  background.idle_latency = from_seconds(kIdleLatency);
  background.promise = terms().promise();
  report.doubts = worker::find_doubts(report.spec, report.measured, facts, background);
}

DeviceSecond Volume::second(SteadyTime end) {
  const SteadyTime start = end - seconds(1);
  const double total = can_do(start);
  const double wanted = demand(start);
  const double done = std::min(wanted, total);
  if (nature_.has_credits) spend((done - 1) * nature_.promise);
  DeviceSecond second;
  second.end = end;
  second.length = seconds(1);
  second.reads = Ops{count_of(done * nature_.promise)};
  second.bytes_read = Bytes{second.reads.value * kBlock.value};
  // Little's law; what exceeds the cap waits in the program that wants it.
  const double rate = done * nature_.promise;
  second.in_flight = rate * kIdleLatency;
  if (wanted > total) second.in_flight = kOpenQueue;
  second.in_flight_at_end = second.in_flight;
  if (nature_.load == Load::volleys) {
    const double drains = rate / kVolleysPerSecond / (total * nature_.promise);
    second.in_flight = rate * (kIdleLatency + drains / 2);
    // Where between two volleys the second ends is chance.
    std::uniform_real_distribution<double> phase(0, 1);
    const double left = std::max(drains - phase(random_) / kVolleysPerSecond, 0.0);
    second.in_flight_at_end = left * total * nature_.promise;
  }
  return second;
}

}  // namespace storage_probe::verdicts
