// SPDX-License-Identifier: Apache-2.0
#include "compliance/words.h"

#include <algorithm>
#include <cmath>

#include "compliance/judge.h"

namespace storage_probe::compliance {
namespace {

constexpr double kFlat = 0.05;  // windows of a rate that something holds it at differ less

// "16,000"
std::string grouped(double number) {
  std::string digits = std::to_string(std::llround(std::clamp(number, 0.0, 1e15)));
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string percent(double ratio) { return std::to_string(std::lround(ratio * 100)) + " %"; }

bool is_flat(const ProbeReport& report) {
  const auto& profile = report.measured.profile;
  if (!profile || profile->rates.size() < 2) return false;
  const auto [least, most] = std::minmax_element(profile->rates.begin(), profile->rates.end());
  return *most > 0 && *most - *least <= kFlat * *most;
}

bool is_about_iops(const Judgement& judgement) {
  return judgement.iops_ratio &&
         (!judgement.throughput_ratio || *judgement.iops_ratio >= *judgement.throughput_ratio);
}

// "3,010 IOPS, 100 % of the 3,000 promised"
std::string share(const Judgement& judgement, const ProbeReport& report, const Terms& terms) {
  const Achieved all = achieved(report, terms);
  const bool is_promised = judgement.ratio().has_value();
  const bool about_iops = is_promised ? is_about_iops(judgement) || !judgement.throughput_ratio
                                      : report.spec.pattern == Pattern::random;
  const double figure = about_iops ? all.iops : all.throughput;
  const auto said = [&](double value) {
    return about_iops ? grouped(value) + " IOPS" : human_byte_rate(value);
  };
  std::string text = (is_flat(report) ? "a flat " : "") + said(figure);
  const auto ratio = judgement.ratio();
  if (!ratio || *ratio <= 0) return text;
  return text + ", " + percent(*ratio) + " of the " + said(figure / *ratio) + " promised";
}

// How many I/Os were waiting, and that they explain the rate: the volume had enough to do.
std::string kept_busy(const ProbeReport& report) {
  double in_flight = 0;
  std::uint64_t ios = 0;
  for (const Operation operation : {Operation::read, Operation::write}) {
    in_flight += report.measured.operations[operation].latency.sum_seconds();
    ios += report.measured.operations[operation].latency.count();
  }
  const unsigned depth = report.spec.queue_depth.value_or(1);
  if (ios == 0 || in_flight <= 0) return {};
  const double mean = in_flight / static_cast<double>(ios);
  return "; " + std::to_string(depth) + " in flight / " + human_duration(from_seconds(mean)) +
         " each = " + grouped(depth / mean) + " IOPS: the volume was kept busy";
}

std::string with_others(const ProbeReport& report) {
  if (!report.device || report.device->other_iops < 1) return {};
  return ", " + grouped(report.device->other_iops) + " IOPS of others on " + report.device->name +
         " included";
}

std::string meaning(const Judgement& judgement, const ProbeReport& report, const Terms& terms) {
  switch (judgement.reason) {
    case Reason::ok:
      return {};
    case Reason::burst_exhausted:
      return terms.type == "aws.efs.bursting"
                 ? ": the burst credits are used up and the baseline is delivered; another "
                   "throughput mode gives more"
                 : ": the burst credits are used up and the baseline is delivered";
    case Reason::instance_limited:
      return ": this is what the instance may draw from its volumes, which is less than the volume "
             "promises";
    case Reason::below_promise:
      return kept_busy(report);
    case Reason::clock_suspect:
      return ": the clock stepped or stood still while it ran";
    case Reason::cache_suspect:
      return ": the device did not see all of it, so a cache, holes or merging helped";
    case Reason::too_few_samples:
      return ": too few I/Os to tell a rate from chance";
    case Reason::contended:
      return terms.limit_is_shared
                 ? ": the limit is one for all hosts that mount it, and what the others used is "
                   "not known here"
                 : ": this host's own load needed the device, so the run was ended early";
    case Reason::cgroup_limited:
      return ": the limit of the control group " + report.cgroup_limit.from +
             ", which this program runs in, is below the promise";
    case Reason::cpu_limited:
      return ": the processor was the limit";
    case Reason::queue_depth_limited:
      return ": too few I/Os were in flight to reach the promise";
    case Reason::init_suspect:
      return ": the same blocks came much faster the second time, as on a volume that is still "
             "being loaded from a snapshot";
    case Reason::unsteady:
      return ": the rate changed too much while it was measured";
    case Reason::unknown_promise:
      if (!terms.accuses && judgement.ratio())
        return ": the figures of " + terms.type + " are not confirmed by its provider";
      return ": " + why_unknown(report.spec, terms);
  }
  return {};
}

}  // namespace

std::string why_unknown(const ProbeSpec& spec, const Terms& terms) {
  if (!terms.promise().known())
    return terms.note.empty() ? "nothing is known to be promised: set volume" : terms.note;
  return std::string("no promise that blocks of ") + to_text(spec.block_size) +
         " are judged by: set volume.iops and volume.throughput";
}

std::string words_for(const Judgement& judgement, const ProbeReport& report, const Terms& terms) {
  return share(judgement, report, terms) + with_others(report) + meaning(judgement, report, terms);
}

}  // namespace storage_probe::compliance
