// SPDX-License-Identifier: Apache-2.0
#include "compliance/passive.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "compliance/judge.h"

namespace storage_probe::compliance {
namespace {

using std::chrono::seconds;

constexpr seconds kLongEnough{5};
constexpr seconds kReported{60};   // of a stretch that does not end, and to accuse
constexpr seconds kGap{3};         // a look that came later has missed something
constexpr double kLeastDepth = 1;  // a volume is not busy while nothing waits

// The load as if it had been a probe's.
ProbeReport as_report(const Usage& reads, const Usage& writes, Duration length) {
  ProbeReport report;
  report.outcome = Outcome::ok;
  report.spec.kind = Kind::capacity;
  report.spec.pattern = Pattern::random;
  Measurement& measured = report.measured;
  measured.duration = measured.elapsed = length;
  measured.operations[Operation::read].ios = reads.ops.value;
  measured.operations[Operation::read].bytes = reads.bytes;
  measured.operations[Operation::write].ios = writes.ops.value;
  measured.operations[Operation::write].bytes = writes.bytes;
  const Usage all = reads + writes;
  const std::uint64_t ios = std::max<std::uint64_t>(all.ops.value, 1);
  report.spec.block_size = Bytes{all.bytes.value / ios};
  report.spec.read_percent = static_cast<unsigned>(100 * reads.ops.value / ios);
  return report;
}

}  // namespace

void Passive::expect(const Terms& terms, std::optional<Duration> idle_latency) {
  terms_ = terms;
  depth_.reset();
  const Promise promise = terms.promise();
  std::optional<double> iops = promise.iops;
  if (!iops && (promise.read_iops || promise.write_iops))
    iops = std::max(promise.read_iops.value_or(0), promise.write_iops.value_or(0));
  if (iops && idle_latency && *idle_latency > Duration{})
    depth_ = std::max(kLeastDepth, *iops * to_seconds(*idle_latency));
}

bool Passive::is_saturated(const DeviceSecond& second) const {
  return depth_ && !second.has_ours && second.length > Duration{} && second.length <= kGap &&
         second.in_flight >= *depth_ && second.in_flight_at_end >= *depth_;
}

void Passive::add(const DeviceSecond& second) {
  if (is_saturated(second)) {
    current_.reads += {{}, second.bytes_read, second.reads};
    current_.writes += {{}, second.bytes_written, second.writes};
    current_.length += second.length;
    if (current_.length < kReported) return;
  }
  if (current_.length >= kLongEnough) ended_ = current_;
  current_ = {};
}

std::optional<PassiveRun> Passive::take(const std::optional<Balance>& balance) {
  const auto stretch = std::exchange(ended_, std::nullopt);
  if (!stretch) return std::nullopt;
  const ProbeReport report = as_report(stretch->reads, stretch->writes, stretch->length);
  const Achieved delivered = achieved(report, terms_);
  PassiveRun run{judge(report, terms_, balance), delivered.iops, delivered.throughput,
                 stretch->length};
  // What says nothing is not worth saying each minute.
  if (run.judgement.verdict == Verdict::inconclusive) return std::nullopt;
  // What was delivered proves itself; that no more was to be had takes a look at many instants.
  const bool accuses = run.judgement.verdict == Verdict::noncompliant;
  if (accuses && stretch->length < kReported) return std::nullopt;
  run.judgement.detail = "the application's own load: " + run.judgement.detail;
  return run;
}

}  // namespace storage_probe::compliance
