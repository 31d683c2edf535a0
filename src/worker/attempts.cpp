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
constexpr Duration kShortestLook = std::chrono::milliseconds{50};
constexpr double kDelivered = 0.9;  // of the goal
constexpr double kFresh = 2;        // times the latency that the same blocks have afterwards

bool is_worth_it(const Usage& left, const ProbeSpec& spec) {
  const bool has_time = left.time == Duration{} || left.time >= kShortestAttempt;
  const bool has_ops = left.ops == Ops{} || left.ops >= kFewestIos;
  const bool has_bytes =
      left.bytes == Bytes{} || left.bytes >= Bytes{kFewestIos.value * spec.block_size.value};
  return has_time && has_ops && has_bytes;
}

bool is_below(const Goal& goal, const Attempt& attempt) {
  return goal.iops && rate_of(attempt.measured) < kDelivered * *goal.iops;
}

// What both have spent; the figures are those of `kept`.
void add_costs(Attempt& kept, const Attempt& other) {
  engine::add_costs(kept.measured, other.measured);
  kept.measured.elapsed += other.measured.elapsed;
}

double mean_latency(const Attempt& attempt) {
  return attempt.measured.operations[Operation::read].latency.mean_seconds();
}

// As many reads as the first attempt has done, which with the same seed are the same ones.
std::optional<Approach> look_again(const ProbeSpec& spec, Engine wanted, const Attempt& first) {
  const auto left = engine::left_of(spec.limits, first.measured);
  if (!left || (spec.limits.time > Duration{} && left->time < kShortestLook)) return std::nullopt;
  Approach again{wanted, *left};
  again.limits.ops = first.measured.used[Operation::read].ops;
  return again;
}

Result<Attempt> attempt_on_fresh_blocks(const ProbeSpec& spec, Engine wanted, const Goal& goal,
                                        const MakeAttempt& make) {
  Usage most = spec.limits;
  most.time = most.time * 3 / 4;
  auto first = make({wanted, most});
  if (!first || !is_below(goal, *first) || !first->measured.errors.empty()) return first;
  const auto approach = look_again(spec, wanted, *first);
  if (!approach) return first;
  auto second = make(*approach);
  if (!second && second.error().code == Errc::exhausted) return first;
  if (!second) return second;
  const double again = mean_latency(*second);
  first->has_met_fresh_blocks = again > 0 && mean_latency(*first) >= kFresh * again;
  add_costs(*first, *second);
  return first;
}

}  // namespace

std::optional<Approach> next_approach(const ProbeSpec& spec, Engine wanted, const Goal& goal,
                                      const Attempt& first) {
  const unsigned depth = spec.queue_depth.value_or(1);
  if (spec.kind != Kind::capacity || !first.measured.errors.empty()) return std::nullopt;
  if (first.measured.stopped_by == StopReason::busy) return std::nullopt;
  const auto left = engine::left_of(spec.limits, first.measured);
  if (!left || !is_worth_it(*left, spec)) return std::nullopt;
  if (is_depth_limited(spec, first.measured)) {
    if (wanted != Engine::automatic || first.engine != Engine::io_uring || depth < 2)
      return std::nullopt;
    return Approach{Engine::threads, *left,
                    "io_uring kept fewer I/Os in flight than it was given, threads do better"};
  }
  if (!is_below(goal, first) || 2 * depth > goal.most_depth) return std::nullopt;
  return Approach{wanted, *left, {}, 2 * depth};
}

bool is_better(const ProbeSpec& spec, const Attempt& second, const Attempt& first) {
  const double was = rate_of(first.measured);
  const double is = rate_of(second.measured);
  if (is >= kFaster * was) return is > 0;
  if (second.queue_depth) return false;
  return is >= kAsFast * was && !is_depth_limited(spec, second.measured);
}

Result<Attempt> make_attempts(const ProbeSpec& spec, Engine wanted, const Goal& goal,
                              const MakeAttempt& make) {
  if (goal.may_be_fresh && goal.iops) return attempt_on_fresh_blocks(spec, wanted, goal, make);
  auto first = make({wanted, spec.limits});
  if (!first) return first;
  const auto approach = next_approach(spec, wanted, goal, *first);
  if (!approach) return first;
  auto second = make(*approach);
  if (!second) return second.error().code == Errc::exhausted ? std::move(first) : std::move(second);
  second->queue_depth = approach->queue_depth;
  Attempt& kept = is_better(spec, *second, *first) ? *second : *first;
  add_costs(kept, &kept == &*first ? *second : *first);
  if (&kept == &*second && !approach->note.empty()) kept.engine_note = approach->note;
  return std::move(kept);
}

}  // namespace storage_probe::worker
