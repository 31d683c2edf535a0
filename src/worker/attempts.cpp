// SPDX-License-Identifier: Apache-2.0
#include "worker/attempts.h"

#include <chrono>
#include <utility>

#include "engine/run.h"
#include "worker/doubts.h"

namespace storage_probe::worker {
namespace {

// As much as warms up and then says something: less is spent for nothing.
constexpr Duration kShortestAttempt = std::chrono::milliseconds{500};
constexpr Ops kFewestIos{100};
constexpr double kFaster = 1.1, kAsFast = 0.95;

bool is_worth_it(const Usage& left, const ProbeSpec& spec) {
  const bool has_time = left.time == Duration{} || left.time >= kShortestAttempt;
  const bool has_ops = left.ops == Ops{} || left.ops >= kFewestIos;
  const bool has_bytes =
      left.bytes == Bytes{} || left.bytes >= Bytes{kFewestIos.value * spec.block_size.value};
  return has_time && has_ops && has_bytes;
}

}  // namespace

std::optional<Approach> next_approach(const ProbeSpec& spec, Engine wanted, const Attempt& first) {
  if (spec.kind != Kind::capacity || wanted != Engine::automatic) return std::nullopt;
  if (first.engine != Engine::io_uring || spec.queue_depth.value_or(1) < 2) return std::nullopt;
  if (first.measured.stopped_by == StopReason::busy) return std::nullopt;
  if (!first.measured.errors.empty() || !is_depth_limited(spec, first.measured)) {
    return std::nullopt;
  }
  const auto left = engine::left_of(spec.limits, first.measured);
  if (!left || !is_worth_it(*left, spec)) return std::nullopt;
  return Approach{Engine::threads, *left,
                  "io_uring kept fewer I/Os in flight than it was given, threads do better"};
}

bool is_better(const ProbeSpec& spec, const Attempt& second, const Attempt& first) {
  const double was = rate_of(first.measured);
  const double is = rate_of(second.measured);
  if (is >= kFaster * was) return is > 0;
  return is >= kAsFast * was && !is_depth_limited(spec, second.measured);
}

Result<Attempt> make_attempts(const ProbeSpec& spec, Engine wanted, const MakeAttempt& make) {
  auto first = make({wanted, spec.limits});
  if (!first) return first;
  const auto approach = next_approach(spec, wanted, *first);
  if (!approach) return first;
  auto second = make(*approach);
  if (!second) return second.error().code == Errc::exhausted ? std::move(first) : std::move(second);
  Attempt& kept = is_better(spec, *second, *first) ? *second : *first;
  const Attempt& other = &kept == &*first ? *second : *first;
  engine::add_costs(kept.measured, other.measured);
  kept.measured.elapsed += other.measured.elapsed;
  if (&kept == &*second) kept.engine_note = approach->note;
  return std::move(kept);
}

}  // namespace storage_probe::worker
