// SPDX-License-Identifier: Apache-2.0
#include "worker/measuring.h"

#include <sys/random.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/checked.h"
#include "engine/open_queue.h"
#include "engine/pacer.h"
#include "engine/run_clock.h"
#include "targets/device_watch.h"
#include "worker/confine.h"
#include "worker/contention.h"
#include "worker/doubts.h"
#include "worker/io_errors.h"
#include "worker/run_watch.h"

namespace storage_probe::worker {
namespace {

constexpr unsigned kDefaultDepth = 32;
constexpr unsigned kMostDepth = 256;
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
  auto attempt = make_attempts(spec_, job_.target.engine, goal(),
                               [this](const Approach& approach) { return run(approach); });
  if (!attempt) {
    outcome.failure = worker_failed(attempt.error());
    return outcome;
  }
  outcome.attempt = *std::move(attempt);
  if (outcome.attempt.queue_depth) spec_.queue_depth = outcome.attempt.queue_depth;
  outcome.spec = spec_;
  const Measurement& measured = outcome.attempt.measured;
  outcome.failure = find_failure(measured, file_);
  if (!outcome.failure) {
    outcome.doubts =
        find_doubts(spec_, measured, outcome.attempt.findings.facts, background(outcome.attempt));
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

// What cannot be opened is told from what broke off by Errc::exhausted, see MakeAttempt.
Result<engine::RingsRun> Measuring::run_engine(const Approach& approach) {
  engine::RingOptions rings;
  rings.most = engine::most_automatic_rings();
  rings.open = [&](unsigned depth, engine::BufferPool& buffers) -> Result<engine::OpenedQueue> {
    auto opened = engine::open_queue(approach.engine, {file_.fd(), depth, buffers});
    if (!opened) return Unexpected({Errc::exhausted, opened.error().message});
    // Of this thread only, for others have theirs to open. Protection, and not a condition.
    static_cast<void>(refuse_further_rings());
    return opened;
  };
  engine::RunContext context;
  context.boot_clock = engine::boot_time;
  context.must_end = end_for_others();
  context.progress = [this](const Progress& progress) { reporter_.say(progress); };
  workload_.spec.limits = approach.limits;
  workload_.spec.queue_depth = approach.queue_depth ? approach.queue_depth : spec_.queue_depth;
  if (spec_.kind == Kind::capacity) return engine::run_on_rings(workload_, rings, context);
  auto buffers = engine::BufferPool::create(1, spec_.block_size);
  if (!buffers) return Unexpected(buffers.error().in("buffers"));
  auto opened = rings.open(1, *buffers);
  if (!opened) return Unexpected(opened.error());
  auto measured = engine::run_latency(*opened->queue, *buffers, workload_, context);
  if (!measured) return Unexpected(measured.error());
  return engine::RingsRun{*std::move(measured), opened->engine, std::move(opened->note)};
}

// Empty where nothing counts.
std::function<bool(Ops)> Measuring::end_for_others() const {
  const targets::DeviceWatch device(identity_, {job_.procfs, job_.sysfs});
  if (!device.read()) return {};
  return [device, contention = Contention(job_.target, spec_)](Ops ours) mutable {
    const auto counters = device.read();
    return counters && contention.is_too_much({*counters, std::chrono::steady_clock::now()}, ours);
  };
}

Result<Attempt> Measuring::run(const Approach& approach) {
  reporter_.enter(Phase::measure);
  const RunWatch watch(identity_, {job_.procfs, job_.sysfs});
  auto run = run_engine(approach);
  if (!run) return Unexpected(run.error().in("engine"));
  Attempt attempt;
  attempt.findings = watch.finish(spec_, run->measured);
  attempt.measured = std::move(run->measured);
  attempt.engine = run->engine;
  attempt.engine_note = std::move(run->note);
  return attempt;
}

// Without an idle latency an automatic depth is a guess.
Goal Measuring::goal() const {
  Goal goal;
  if (spec_.kind != Kind::capacity || spec_.pattern != Pattern::random) return goal;
  goal.iops = promised_iops(spec_, job_.target.volume.promise);
  const std::uint64_t half = workload_.blocks / 2;
  if (job_.depth_is_automatic && !job_.idle_latency)
    goal.most_depth = static_cast<unsigned>(std::min<std::uint64_t>(kMostDepth, half));
  const bool is_others =
      !job_.target.device.empty() || job_.target.file.mode == ProbeFileSpec::Mode::existing;
  goal.may_be_fresh = is_others && !spec_.writes();
  return goal;
}

Background Measuring::background(const Attempt& attempt) const {
  return {file_.has_holes(), identity_.fs_type == kCachesDirectIo, job_.idle_latency,
          job_.target.volume.promise, attempt.has_met_fresh_blocks};
}

}  // namespace storage_probe::worker
