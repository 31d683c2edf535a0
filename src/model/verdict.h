// SPDX-License-Identifier: Apache-2.0
// What a run's figures say about the volume: the answer and one reason for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace storage_probe {

// The enumerators are the values of the metric label `verdict`.
enum class Verdict { compliant, noncompliant, inconclusive };

// The closed set of the label `reason`.
enum class Reason {
  ok,
  burst_exhausted,   // compliant: the baseline was delivered, the bucket of credits is empty
  instance_limited,  // compliant: as much as this host may draw from its volumes
  below_promise,     // the only one of noncompliant
  clock_suspect,     // from here on inconclusive, by weight
  cache_suspect,
  too_few_samples,
  contended,
  cgroup_limited,
  cpu_limited,
  queue_depth_limited,
  init_suspect,
  unsteady,
  unknown_promise,
};

// Whose I/O was the evidence: that of a probe of ours, or the application's own.
enum class Evidence { probe, passive };

std::string_view to_text(Verdict verdict);
std::string_view to_text(Reason reason);
std::string_view to_text(Evidence evidence);
std::optional<Verdict> parse_verdict(std::string_view text);
std::optional<Reason> parse_reason(std::string_view text);

struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  Reason reason = Reason::unknown_promise;
  // Achieved, others' I/O included, over the promise; empty where that is not promised.
  std::optional<double> iops_ratio, throughput_ratio;
  // One sentence for people: what was achieved, against what, and what speaks for or against it.
  std::string detail;

  bool operator==(const Judgement&) const = default;
  // The larger of the two; empty without a promise.
  std::optional<double> ratio() const;
};

}  // namespace storage_probe
