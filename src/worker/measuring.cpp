// SPDX-License-Identifier: Apache-2.0
#include "worker/measuring.h"

#include <sys/random.h>

#include <algorithm>
#include <utility>

#include "engine/checked.h"
#include "engine/open_queue.h"
#include "engine/pacer.h"
#include "engine/run_clock.h"
#include "engine/runner.h"
#include "worker/confine.h"
#include "worker/doubts.h"
#include "worker/io_errors.h"
#include "worker/run_watch.h"

namespace storage_probe::worker {
namespace {

constexpr unsigned kDefaultDepth = 32;
// Before its version 2.3 it takes O_DIRECT and answers from its own cache; its devices are not to
// be seen in sysfs, so that nothing can prove the contrary (openzfs/zfs#10018).
constexpr std::string_view kCachesDirectIo = "zfs";

Failure worker_failed(const Error& error) { return {"worker_failed", error.message}; }

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  static_cast<void>(::getrandom(&seed, sizeof seed, GRND_NONBLOCK));  // any seed is good
  return seed;
}

}  // namespace

Measuring::Measuring(const Job& job, const Reporter& reporter, const engine::ProbeFile& file,
                     const MountIdentity& identity)
    : job_(job), reporter_(reporter), file_(file), identity_(identity), spec_(job.spec) {}

Measuring::Outcome Measuring::execute() {
  Outcome outcome;
  outcome.failure = plan_workload();
  outcome.spec = spec_;
  if (outcome.failure) return outcome;
  auto attempt = make_attempts(spec_, job_.target.engine,
                               {[this](const Approach& approach) { return open(approach); },
                                [this](const Approach& approach) { return run(approach); }});
  if (!attempt) {
    outcome.failure = worker_failed(attempt.error());
    return outcome;
  }
  outcome.attempt = *std::move(attempt);
  const Measurement& measured = outcome.attempt.measured;
  outcome.failure = find_failure(measured, file_);
  if (!outcome.failure) {
    outcome.doubts = find_doubts(spec_, measured, outcome.attempt.findings.facts, background());
  }
  return outcome;
}

std::optional<Failure> Measuring::plan_workload() {
  const std::uint64_t block = spec_.block_size.value;
  if (block == 0 || block % file_.alignment().value != 0) {
    return engine::fail(TargetState::direct_io_rejected,
                        "blocks of " + to_text(spec_.block_size) +
                            ", but direct I/O wants multiples of " + to_text(file_.alignment()));
  }
  workload_.first_block = (file_.first_byte().value + block - 1) / block;
  const std::uint64_t end = file_.size().value / block;
  if (end <= workload_.first_block) {
    return worker_failed({Errc::invalid, "probe file of " + to_text(file_.size()) +
                                             ": no room for blocks of " +
                                             to_text(spec_.block_size)});
  }
  workload_.blocks = end - workload_.first_block;
  if (spec_.kind == Kind::capacity) {
    const std::uint64_t half = std::max<std::uint64_t>(workload_.blocks / 2, 1);
    spec_.queue_depth = static_cast<unsigned>(
        std::min<std::uint64_t>(spec_.queue_depth.value_or(kDefaultDepth), half));
  }
  workload_.spec = spec_;
  workload_.seed = random_seed();
  return std::nullopt;
}

Result<void> Measuring::open(const Approach& approach) {
  const unsigned depth = spec_.queue_depth.value_or(1);
  if (!buffers_) {
    auto buffers = engine::BufferPool::create(depth, spec_.block_size);
    if (!buffers) return Unexpected(buffers.error().in("buffers"));
    buffers_ = *std::move(buffers);
  }
  auto opened = engine::open_queue(approach.engine, {file_.fd(), depth, *buffers_});
  if (!opened) return Unexpected(opened.error().in("engine"));
  queues_.push_back(std::move(opened->queue));
  engine_ = opened->engine;
  engine_note_ = std::move(opened->note);
  // Only a first approach has a ring. Protection, as with files, and not a condition.
  static_cast<void>(refuse_further_rings());
  return {};
}

Result<Attempt> Measuring::run(const Approach& approach) {
  workload_.spec.limits = approach.limits;
  engine::RunContext context;
  context.boot_clock = engine::boot_time;
  context.progress = [this](const Progress& progress) { reporter_.say(progress); };
  reporter_.enter(Phase::measure);
  const RunWatch watch(identity_, {job_.procfs, job_.sysfs});
  engine::IoQueue& queue = *queues_.back();
  auto measured = spec_.kind == Kind::latency
                      ? engine::run_latency(queue, *buffers_, workload_, context)
                      : engine::run_capacity(queue, *buffers_, workload_, context);
  if (!measured) return Unexpected(measured.error().in("engine"));
  Attempt attempt;
  attempt.findings = watch.finish(spec_, *measured);
  attempt.measured = *std::move(measured);
  attempt.engine = engine_;
  attempt.engine_note = engine_note_;
  return attempt;
}

Background Measuring::background() const {
  return {file_.has_holes(), identity_.fs_type == kCachesDirectIo, job_.idle_latency,
          job_.target.volume.promise};
}

}  // namespace storage_probe::worker
