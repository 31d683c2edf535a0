// SPDX-License-Identifier: Apache-2.0
#include "engine/runner.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "engine/cpu_time.h"
#include "engine/progress_meter.h"
#include "engine/rate_windows.h"
#include "engine/read_back.h"
#include "engine/run_clock.h"
#include "engine/transfers.h"

namespace storage_probe::engine {
namespace {

constexpr Duration kShortestWarmUp = std::chrono::milliseconds{250};
constexpr Duration kSlice = std::chrono::milliseconds{100};

Duration warm_up_time(Duration limit) {
  if (limit == Duration{}) return kShortestWarmUp;
  return std::min(std::max(kShortestWarmUp, limit / 10), limit / 2);
}

// Linux throttles in slices of 100 ms: a window that is not a whole number of them sees one more or
// one less. Short ones are too short for that to matter.
Duration whole_slices(Duration window) {
  return window < 5 * kSlice ? window : window - window % kSlice;
}

bool is_a_fifth(std::uint64_t paid, std::uint64_t limit) { return limit > 0 && paid >= limit / 5; }

// One run, on the stack of run_capacity(). `now_` is the clock's reading after the last batch: it
// dates that batch's completions and the requests of the next one.
class CapacityRun {
 public:
  CapacityRun(IoQueue& queue, BufferPool& buffers, const Workload& workload,
              const RunContext& context)
      : queue_(queue),
        buffers_(buffers),
        workload_(workload),
        context_(context),
        spec_(workload.spec),
        limits_(spec_.limits),
        clock_(context),
        transfers_(workload, buffers, workload.spec.queue_depth.value_or(1), measurement_),
        start_(clock_.now()),
        now_(start_),
        warm_up_end_(start_ + warm_up_time(limits_.time)),
        deadline_(limits_.time == Duration{} ? SteadyTime::max() : start_ + limits_.time),
        progress_(context, limits_, start_) {}

  Result<Measurement> run();

 private:
  enum class Window { warming_up, open, closed };

  void refill();
  void open_window_when_warm();
  void stop_when_certain();
  void end_when_told();
  void follow_the_others();
  void close_window();
  void stop(StopReason reason);
  void give_up();
  SteadyTime next_event() const;
  Result<void> exchange();
  void settle(const Transfer& transfer);
  Result<void> sync();
  Result<void> verify();

  IoQueue& queue_;
  BufferPool& buffers_;
  const Workload& workload_;
  const RunContext& context_;
  const ProbeSpec& spec_;
  const Usage& limits_;
  RunClock clock_;
  Measurement measurement_;
  Transfers transfers_;
  const SteadyTime start_;
  SteadyTime now_;
  const SteadyTime warm_up_end_;
  SteadyTime deadline_;
  ProgressMeter progress_;
  std::optional<StopReason> stopped_;
  Window window_ = Window::warming_up;
  SteadyTime window_start_, next_look_;
  SteadyTime next_question_ = start_;
  std::optional<RateWindows> rates_;
  const CpuTime thread_at_first_ = CpuTime::of_this_thread();
  CpuTime cpu_at_start_, thread_at_start_;
};

Result<Measurement> CapacityRun::run() {
  while (true) {
    follow_the_others();
    refill();
    if (transfers_.in_flight() == 0) break;
    open_window_when_warm();
    if (auto done = exchange(); !done) return Unexpected(done.error());
    if (now_ >= deadline_) {
      stop(StopReason::time);
      transfers_.end();
      close_window();
    }
    if (transfers_.is_hopeless()) give_up();
    stop_when_certain();
    end_when_told();
  }
  close_window();
  if (auto synced = sync(); !synced) return Unexpected(synced.error());
  if (auto verified = verify(); !verified) return Unexpected(verified.error());
  measurement_.stopped_by = stopped_.value_or(StopReason::time);
  measurement_.elapsed = clock_.now() - start_;
  measurement_.clock_suspect = clock_.is_suspect();
  return std::move(measurement_);
}

void CapacityRun::refill() {
  while (!stopped_ && transfers_.has_free_slot()) {
    if (const auto spent = transfers_.spent()) return stop(*spent);
    if (transfers_.wants_fsync()) {
      transfers_.start_fsync(now_);
    } else {
      transfers_.start_block(now_);
    }
  }
}

// The first reason counts: at the deadline of a run whose I/Os are all out, that is not the time.
void CapacityRun::stop(StopReason reason) {
  if (stopped_) return;
  stopped_ = reason;
  if (context_.ended != nullptr && !context_.ended->load()) *context_.ended = reason;
}

// Also their windows end with the first: what one ring does alone is not what all do together.
void CapacityRun::follow_the_others() {
  if (context_.ended == nullptr || stopped_) return;
  const auto ended = context_.ended->load(std::memory_order_relaxed);
  if (!ended) return;
  stop(*ended);
  close_window();
}

void CapacityRun::give_up() {
  stop(StopReason::certain);
  measurement_.gave_up = true;
}

// Before the exchange, so that of a run of a few I/Os, all submitted at once, all are measured.
void CapacityRun::open_window_when_warm() {
  if (window_ != Window::warming_up) return;
  const Usage paid = transfers_.paid();
  const bool is_warm = now_ >= warm_up_end_ || is_a_fifth(paid.ops.value, limits_.ops.value) ||
                       is_a_fifth(paid.bytes.value, limits_.bytes.value);
  if (!is_warm) return;
  const Duration worked = CpuTime::of_this_thread().total() - thread_at_first_.total();
  if (context_.gives_up && !stopped_ && context_.gives_up(worked, now_ - start_)) {
    window_ = Window::closed;
    return stop(StopReason::certain);
  }
  window_ = Window::open;
  window_start_ = next_look_ = now_;
  const SteadyTime warm = std::min(now_, warm_up_end_);
  if (deadline_ < SteadyTime::max()) deadline_ = warm + whole_slices(deadline_ - warm);
  rates_.emplace(now_);
  cpu_at_start_ = CpuTime::now();
  thread_at_start_ = CpuTime::of_this_thread();
}

// Not later than a limit: then that is the reason.
void CapacityRun::stop_when_certain() {
  if (!spec_.stop_early || stopped_ || window_ != Window::open || now_ < next_look_) return;
  while (next_look_ <= now_) next_look_ += kSlice;
  if (!rates_->is_certain(now_, context_.rings)) return;
  stop(StopReason::certain);
  close_window();
}

void CapacityRun::end_when_told() {
  if (!context_.must_end || stopped_ || now_ < next_question_) return;
  next_question_ = now_ + kSlice;
  const Ops completed{context_.completed == nullptr ? transfers_.completed()
                                                    : context_.completed->load()};
  if (!context_.must_end(completed)) return;
  stop(StopReason::busy);
  close_window();
}

void CapacityRun::close_window() {
  if (window_ == Window::open) {
    const CpuTime cpu = CpuTime::now();
    measurement_.duration = now_ - window_start_;
    measurement_.cpu_user = cpu.user - cpu_at_start_.user;
    measurement_.cpu_system = cpu.system - cpu_at_start_.system;
    measurement_.cpu_busiest = CpuTime::of_this_thread().total() - thread_at_start_.total();
    measurement_.profile = rates_->profile(now_);
  }
  window_ = Window::closed;
}

// The window must begin and end by the clock and not with the completion that comes next: under a
// throttle that would be the first of a burst, and the window a burst too long or too short.
SteadyTime CapacityRun::next_event() const {
  switch (window_) {
    case Window::warming_up:
      return std::min(warm_up_end_, deadline_);
    case Window::open:
      return spec_.stop_early && !stopped_ ? std::min(next_look_, deadline_) : deadline_;
    case Window::closed:
      break;
  }
  return deadline_;
}

Result<void> CapacityRun::exchange() {
  const SteadyTime next = next_event();
  const Duration wait = now_ < next ? std::min<Duration>(kTick, next - now_) : kTick;
  const auto completions = queue_.exchange(transfers_.take_batch(), 1, wait);
  if (!completions) return Unexpected(completions.error());
  now_ = clock_.read();
  const std::uint64_t before = transfers_.completed();
  for (const Completion& completion : *completions) settle(transfers_.complete(completion));
  // A run that gave up while it warmed up has no rates, not even for its last fsync.
  const std::uint64_t completed = transfers_.completed() - before;
  if (context_.completed != nullptr) *context_.completed += completed;
  if (window_ == Window::open && rates_) rates_->add(now_, completed);
  progress_.update(now_, transfers_.paid(), transfers_.completed());
  return {};
}

void CapacityRun::settle(const Transfer& transfer) {
  if (transfer.state != Transfer::State::completed || window_ != Window::open) return;
  record(measurement_, transfer, now_);
}

// What was written has not been delivered before it is safe. It counts as measured though it lies
// behind the window, which it must not lengthen.
Result<void> CapacityRun::sync() {
  if (!transfers_.wants_last_fsync()) return {};
  transfers_.start_last_fsync(now_);
  window_ = Window::open;
  while (transfers_.in_flight() > 0) {
    if (auto done = exchange(); !done) return done;
  }
  return {};
}

// A run that another one takes the place of, or that ended before it measured, is not worth it, nor
// is it while others need the device.
Result<void> CapacityRun::verify() {
  if (!rates_ || stopped_ == StopReason::busy) return {};
  return read_back({queue_, buffers_, workload_, context_, clock_}, transfers_, measurement_);
}

}  // namespace

Result<Measurement> run_capacity(IoQueue& queue, BufferPool& buffers, const Workload& workload,
                                 const RunContext& context) {
  const unsigned depth = workload.spec.queue_depth.value_or(1);
  if (auto sound = Transfers::check(workload, buffers, depth); !sound) {
    return Unexpected(sound.error());
  }
  return CapacityRun(queue, buffers, workload, context).run();
}

}  // namespace storage_probe::engine
