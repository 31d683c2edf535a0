// SPDX-License-Identifier: Apache-2.0
#include "model/verdict.h"

#include <algorithm>
#include <array>

namespace storage_probe {
namespace {

constexpr std::array kVerdicts{Verdict::compliant, Verdict::noncompliant, Verdict::inconclusive};
constexpr std::array kReasons{Reason::ok,
                              Reason::burst_exhausted,
                              Reason::instance_limited,
                              Reason::below_promise,
                              Reason::clock_suspect,
                              Reason::cache_suspect,
                              Reason::too_few_samples,
                              Reason::contended,
                              Reason::cgroup_limited,
                              Reason::cpu_limited,
                              Reason::queue_depth_limited,
                              Reason::init_suspect,
                              Reason::unsteady,
                              Reason::unknown_promise};

template <typename Values>
auto parse(const Values& values, std::string_view text)
    -> std::optional<typename Values::value_type> {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](auto value) { return to_text(value) == text; });
  if (found == values.end()) return std::nullopt;
  return *found;
}

}  // namespace

std::string_view to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::compliant:
      return "compliant";
    case Verdict::noncompliant:
      return "noncompliant";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

std::string_view to_text(Reason reason) {
  switch (reason) {
    case Reason::ok:
      return "ok";
    case Reason::burst_exhausted:
      return "burst_exhausted";
    case Reason::instance_limited:
      return "instance_limited";
    case Reason::below_promise:
      return "below_promise";
    case Reason::clock_suspect:
      return "clock_suspect";
    case Reason::cache_suspect:
      return "cache_suspect";
    case Reason::too_few_samples:
      return "too_few_samples";
    case Reason::contended:
      return "contended";
    case Reason::cgroup_limited:
      return "cgroup_limited";
    case Reason::cpu_limited:
      return "cpu_limited";
    case Reason::queue_depth_limited:
      return "queue_depth_limited";
    case Reason::init_suspect:
      return "init_suspect";
    case Reason::unsteady:
      return "unsteady";
    case Reason::unknown_promise:
      return "unknown_promise";
  }
  return "unknown_promise";
}

std::string_view to_text(Evidence evidence) {
  switch (evidence) {
    case Evidence::probe:
      return "probe";
    case Evidence::passive:
      return "passive";
  }
  return "probe";
}

std::optional<Verdict> parse_verdict(std::string_view text) { return parse(kVerdicts, text); }
std::optional<Reason> parse_reason(std::string_view text) { return parse(kReasons, text); }

std::optional<double> Judgement::ratio() const {
  if (!iops_ratio) return throughput_ratio;
  return throughput_ratio ? std::max(*iops_ratio, *throughput_ratio) : *iops_ratio;
}

}  // namespace storage_probe
