// SPDX-License-Identifier: Apache-2.0
#include "engine/pacer.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "engine/cpu_time.h"
#include "engine/progress_meter.h"
#include "engine/read_back.h"
#include "engine/run_clock.h"
#include "engine/transfers.h"

namespace storage_probe::engine {
namespace {

constexpr double kLowestRate = 1e-3, kHighestRate = 1e6;  // I/Os per second

// One run, on the stack of run_latency().
class LatencyRun {
 public:
  LatencyRun(IoQueue& queue, BufferPool& buffers, const Workload& workload,
             const RunContext& context)
      : queue_(queue),
        buffers_(buffers),
        workload_(workload),
        context_(context),
        clock_(context),
        rate_(workload.spec.rate),
        transfers_(workload, buffers, 1, measurement_),
        start_(clock_.now()),
        now_(start_),
        deadline_(workload.spec.limits.time == Duration{} ? SteadyTime::max()
                                                          : start_ + workload.spec.limits.time),
        progress_(context, workload.spec.limits, start_) {}

  Result<Measurement> run();

 private:
  SteadyTime intended_start() const;
  Result<StopReason> pace();
  Result<void> finish_io();
  Result<void> sync_when_due();
  Result<void> wait_until(SteadyTime time);
  Result<void> exchange(Duration wait);
  void count_missed_starts();
  Result<void> sync();

  IoQueue& queue_;
  BufferPool& buffers_;
  const Workload& workload_;
  const RunContext& context_;
  RunClock clock_;
  const double rate_;
  Measurement measurement_;
  Transfers transfers_;
  const SteadyTime start_;
  SteadyTime now_;
  const SteadyTime deadline_;
  ProgressMeter progress_;
  std::uint64_t issued_ = 0;  // starts that have taken place, or been counted as missed
};

// From the run's start, not from the last I/O: nothing adds up.
SteadyTime LatencyRun::intended_start() const {
  return start_ + from_seconds(static_cast<double>(issued_) / rate_);
}

Result<Measurement> LatencyRun::run() {
  const CpuTime cpu_at_start = CpuTime::now();
  const CpuTime thread_at_start = CpuTime::of_this_thread();
  const auto stopped = pace();
  if (!stopped) return Unexpected(stopped.error());
  const CpuTime cpu = CpuTime::now();
  measurement_.stopped_by = *stopped;
  measurement_.gave_up = *stopped == StopReason::certain;
  measurement_.duration = now_ - start_;
  measurement_.cpu_user = cpu.user - cpu_at_start.user;
  measurement_.cpu_system = cpu.system - cpu_at_start.system;
  measurement_.cpu_busiest = CpuTime::of_this_thread().total() - thread_at_start.total();
  if (*stopped == StopReason::time) count_missed_starts();
  if (auto synced = sync(); !synced) return Unexpected(synced.error());
  const RunParts parts{queue_, buffers_, workload_, context_, clock_};
  if (auto verified = read_back(parts, transfers_, measurement_); !verified) {
    return Unexpected(verified.error());
  }
  measurement_.elapsed = clock_.now() - start_;
  measurement_.clock_suspect = clock_.is_suspect();
  return std::move(measurement_);
}

// Returns at the end of the last interval, so that n I/Os take n intervals and not n - 1.
Result<StopReason> LatencyRun::pace() {
  while (true) {
    const SteadyTime due = std::min(intended_start(), deadline_);
    if (auto waited = wait_until(due); !waited) return Unexpected(waited.error());
    if (now_ >= deadline_) return StopReason::time;
    if (const auto spent = transfers_.spent()) return *spent;
    if (transfers_.is_hopeless()) return StopReason::certain;
    transfers_.start_block(due);
    ++issued_;
    if (auto finished = finish_io(); !finished) return Unexpected(finished.error());
    if (auto synced = sync_when_due(); !synced) return Unexpected(synced.error());
  }
}

Result<void> LatencyRun::sync_when_due() {
  if (!transfers_.wants_fsync() || transfers_.spent() || now_ >= deadline_) return {};
  transfers_.start_fsync(now_);
  return finish_io();
}

Result<void> LatencyRun::finish_io() {
  while (transfers_.in_flight() > 0) {
    if (now_ >= deadline_) transfers_.end();
    if (auto done = exchange(kTick); !done) return done;
  }
  return {};
}

// Asleep in the queue, which has nothing in flight: a spinning loop would take the processor from
// what is being watched.
Result<void> LatencyRun::wait_until(SteadyTime time) {
  while (now_ < time) {
    if (auto done = exchange(std::min<Duration>(kTick, time - now_)); !done) return done;
  }
  return {};
}

Result<void> LatencyRun::exchange(Duration wait) {
  const auto completions = queue_.exchange(transfers_.take_batch(), 1, wait);
  if (!completions) return Unexpected(completions.error());
  now_ = clock_.read();
  for (const Completion& completion : *completions) {
    const Transfer transfer = transfers_.complete(completion);
    if (transfer.state == Transfer::State::completed) record(measurement_, transfer, now_);
  }
  progress_.update(now_, transfers_.paid(), transfers_.completed());
  return {};
}

void LatencyRun::count_missed_starts() {
  for (SteadyTime due = intended_start(); due < deadline_; due = intended_start()) {
    const Operation operation = transfers_.draw_operation();
    measurement_.operations[operation].latency.record(now_ - due);
    ++issued_;
  }
}

Result<void> LatencyRun::sync() {
  if (!transfers_.wants_last_fsync()) return {};
  transfers_.start_last_fsync(now_);
  return finish_io();
}

}  // namespace

Result<Measurement> run_latency(IoQueue& queue, BufferPool& buffers, const Workload& workload,
                                const RunContext& context) {
  if (auto sound = Transfers::check(workload, buffers, 1); !sound) {
    return Unexpected(sound.error());
  }
  const double rate = workload.spec.rate;
  const bool is_possible = rate >= kLowestRate && rate <= kHighestRate;
  if (!is_possible) return Unexpected({Errc::invalid, "workload: no such rate"});
  return LatencyRun(queue, buffers, workload, context).run();
}

}  // namespace storage_probe::engine
