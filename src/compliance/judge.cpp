// SPDX-License-Identifier: Apache-2.0
#include "compliance/judge.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "compliance/words.h"

namespace storage_probe::compliance {
namespace {

constexpr Bytes kIopsAlone{16 * kKiB.value};         // up to here a promise of IOPS is enough
constexpr Bytes kThroughputAlone{128 * kKiB.value};  // from here on one of throughput is
constexpr double kLeastSeen = 0.95;                  // of our I/Os, by the device
constexpr double kEmpty = 0.05;                      // of a bucket, at most
constexpr double kHeld = 1.2;  // of the baseline: what had more still had credits
constexpr Bytes kSmallestIo{512};

double per_second(double amount, const Measurement& measured) {
  const double seconds = to_seconds(measured.duration);
  return seconds > 0 ? amount / seconds : 0;
}

// How many I/Os the provider counts for `ios` of this size.
double units(double ios, double bytes, Bytes cap) {
  if (cap.value == 0 || ios <= 0) return ios;
  return ios * std::max(1.0, std::ceil(bytes / ios / static_cast<double>(cap.value)));
}

// Others' I/O. Requests of ours that the kernel has cut count as others', and bring no bytes.
Achieved others_of(const ProbeReport& report, const Terms& terms) {
  Achieved others;
  if (!report.device) return others;
  others.throughput = std::max(report.device->other_throughput, 0.0);
  const double most = others.throughput / static_cast<double>(kSmallestIo.value);
  const double ios = std::clamp(report.device->other_iops, 0.0, most);
  others.iops = units(ios, others.throughput, terms.io_cap);
  return others;
}

Achieved done(const Measurement& measured, Operation operation, const Terms& terms) {
  const OperationStats& stats = measured.operations[operation];
  const double ios = per_second(static_cast<double>(stats.ios), measured);
  const double bytes = per_second(static_cast<double>(stats.bytes.value), measured);
  return {units(ios, bytes, terms.io_cap), bytes};
}

std::optional<double> over(double achieved, const std::optional<double>& promised) {
  if (!promised || *promised <= 0) return std::nullopt;
  return achieved / *promised;
}

std::optional<double> larger(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

struct Ratios {
  std::optional<double> iops, throughput;

  std::optional<double> best() const { return larger(iops, throughput); }
};

// Reads and writes together where they are promised so; else each against its own, and of a mix
// the one that comes nearer: its limit is the one that was met.
Ratios ratios(const ProbeReport& report, const Promise& promise, const Terms& terms) {
  const Achieved all = achieved(report, terms);
  Ratios result{over(all.iops, promise.iops), over(all.throughput, promise.throughput)};
  const Achieved others = others_of(report, terms);
  const double share = report.spec.read_percent / 100.0;  // others are taken to mix as we do
  for (const Operation operation : {Operation::read, Operation::write}) {
    const bool is_read = operation == Operation::read;
    const double part = is_read ? share : 1 - share;
    if (part <= 0) continue;
    const Achieved own = done(report.measured, operation, terms);
    const auto& iops = is_read ? promise.read_iops : promise.write_iops;
    const auto& rate = is_read ? promise.read_throughput : promise.write_throughput;
    result.iops = larger(result.iops, over(own.iops + part * others.iops, iops));
    result.throughput =
        larger(result.throughput, over(own.throughput + part * others.throughput, rate));
  }
  return result;
}

bool is_promise_known(const ProbeReport& report, const Ratios& ratios) {
  const Bytes block = report.spec.block_size;
  if (block <= kIopsAlone) return ratios.iops.has_value();
  if (block >= kThroughputAlone) return ratios.throughput.has_value();
  return ratios.iops && ratios.throughput;
}

Reason reason_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::clock_suspect:
      return Reason::clock_suspect;
    case Doubt::cache_suspect:
      return Reason::cache_suspect;
    case Doubt::too_few_samples:
      return Reason::too_few_samples;
    case Doubt::contended:
      return Reason::contended;
    case Doubt::cgroup_limited:
      return Reason::cgroup_limited;
    case Doubt::cpu_limited:
      return Reason::cpu_limited;
    case Doubt::queue_depth_limited:
      return Reason::queue_depth_limited;
    case Doubt::init_suspect:
      return Reason::init_suspect;
    case Doubt::unsteady:
      return Reason::unsteady;
  }
  return Reason::unsteady;
}

// What may have made a run look faster than its volume is: then no answer is worth anything.
bool spoils_everything(Doubt doubt) {
  return doubt == Doubt::clock_suspect || doubt == Doubt::cache_suspect ||
         doubt == Doubt::too_few_samples;
}

// I/Os that were merged on their way were not done one by one, whatever their number says.
bool is_merged(const ProbeReport& report) {
  if (!report.device || report.spec.pattern != Pattern::random) return false;
  const auto& operations = report.measured.operations;
  const std::uint64_t ours = operations[Operation::read].ios + operations[Operation::write].ios;
  return static_cast<double>(report.device->ios) < kLeastSeen * static_cast<double>(ours);
}

// Even its best moment was below: that it was not steady explains nothing.
bool is_below_throughout(const ProbeReport& report, double ratio, double threshold) {
  const auto& profile = report.measured.profile;
  if (!profile || profile->rates.empty()) return false;
  double sum = 0;
  for (const double rate : profile->rates) sum += rate;
  const double mean = sum / static_cast<double>(profile->rates.size());
  const double best = *std::max_element(profile->rates.begin(), profile->rates.end());
  return mean > 0 && ratio * best / mean < threshold;
}

std::optional<Reason> excuse(const ProbeReport& report, double ratio, const Terms& terms) {
  for (const Doubt doubt : report.doubts) {
    if (doubt == Doubt::unsteady && is_below_throughout(report, ratio, terms.threshold)) continue;
    return reason_of(doubt);
  }
  return std::nullopt;
}

// One run, its terms and what was found about them, on the way to a judgement.
struct Case {
  const ProbeReport& report;
  const Terms& terms;
  Ratios found;

  Judgement answer(Verdict verdict, Reason reason) const {
    Judgement judgement{verdict, reason, found.iops, found.throughput, {}};
    judgement.detail = words_for(judgement, report, terms);
    return judgement;
  }
};

Judgement inconclusive(const Case& of, Reason reason) {
  return of.answer(Verdict::inconclusive, reason);
}

// What else speaks against it is named first, and a share of what is not promised is none.
Judgement without_promise(const ProbeReport& report, const Terms& terms) {
  const Case of{report, terms, {}};
  if (report.doubts.empty()) return inconclusive(of, Reason::unknown_promise);
  Judgement judgement = inconclusive(of, reason_of(report.doubts.front()));
  judgement.detail += "; besides, " + why_unknown(report.spec, terms);
  return judgement;
}

// At least the threshold was delivered: why no more.
Reason why_no_more(const Case& of, const std::optional<Balance>& balance) {
  const auto of_volume = ratios(of.report, of.terms.volume, of.terms).best();
  if (of_volume && *of_volume < of.terms.threshold) return Reason::instance_limited;
  const auto of_burst = ratios(of.report, of.terms.burst, of.terms).best();
  const bool is_below_burst = of_burst && *of_burst < of.terms.threshold;
  const bool is_held = of_volume && *of_volume <= kHeld;
  if (balance && balance->high <= kEmpty && is_held && is_below_burst)
    return Reason::burst_exhausted;
  return Reason::ok;
}

}  // namespace

Achieved achieved(const ProbeReport& report, const Terms& terms) {
  Achieved sum = others_of(report, terms);
  for (const Operation operation : {Operation::read, Operation::write}) {
    const Achieved own = done(report.measured, operation, terms);
    sum.iops += own.iops;
    sum.throughput += own.throughput;
  }
  return sum;
}

Judgement judge(const ProbeReport& report, const Terms& terms,
                const std::optional<Balance>& balance) {
  const Case of{report, terms, ratios(report, terms.promise(), terms)};
  const auto& doubts = report.doubts;
  const auto spoiled = std::find_if(doubts.begin(), doubts.end(), spoils_everything);
  if (spoiled != doubts.end()) return inconclusive(of, reason_of(*spoiled));
  if (is_merged(report)) return inconclusive(of, Reason::cache_suspect);
  if (!is_promise_known(report, of.found)) return without_promise(report, terms);
  if (terms.limit_is_shared) return inconclusive(of, Reason::contended);
  const double ratio = of.found.best().value_or(0);
  if (ratio >= terms.threshold) return of.answer(Verdict::compliant, why_no_more(of, balance));
  if (const auto reason = excuse(report, ratio, terms)) return inconclusive(of, *reason);
  if (!terms.accuses) return inconclusive(of, Reason::unknown_promise);
  return of.answer(Verdict::noncompliant, Reason::below_promise);
}

}  // namespace storage_probe::compliance
