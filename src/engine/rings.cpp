// SPDX-License-Identifier: Apache-2.0
#include "engine/rings.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "engine/cpu_time.h"
#include "engine/rate_profile.h"
#include "engine/runner.h"

namespace storage_probe::engine {
namespace {

constexpr unsigned kMostRings = 8;

// The share of one ring in what all have; nothing is lost in dividing.
std::uint64_t share(std::uint64_t whole, unsigned ring, unsigned rings) {
  return whole / rings + (ring < whole % rings ? 1 : 0);
}

// A ring without an I/O to its share of a limit would be one without a limit.
unsigned possible_rings(const Workload& workload, unsigned wanted) {
  const ProbeSpec& spec = workload.spec;
  std::uint64_t most = std::min<std::uint64_t>(spec.queue_depth.value_or(1), workload.blocks);
  // A write needs a second one, for the fdatasync at the end.
  if (spec.limits.ops != Ops{}) most = std::min(most, spec.limits.ops.value / 2);
  if (spec.limits.bytes != Bytes{}) {
    most =
        std::min(most, spec.limits.bytes.value / std::max<std::uint64_t>(spec.block_size.value, 1));
  }
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(wanted, 1, std::max<std::uint64_t>(most, 1)));
}

Workload share_of(const Workload& whole, unsigned ring, unsigned rings) {
  Workload part = whole;
  part.spec.queue_depth =
      static_cast<unsigned>(share(whole.spec.queue_depth.value_or(1), ring, rings));
  part.spec.limits.ops.value = share(whole.spec.limits.ops.value, ring, rings);
  part.spec.limits.bytes.value = share(whole.spec.limits.bytes.value, ring, rings);
  part.blocks = whole.blocks / rings;
  part.first_block = whole.first_block + ring * part.blocks;
  part.seed = whole.seed + std::uint64_t{16} * ring;  // a run draws from a few seeds beside its own
  return part;
}

// One start of a run on a fixed number of rings, on the stack of run_on_rings().
class Attempt {
 public:
  Attempt(const Workload& workload, const RingOptions& options, const RunContext& context,
          unsigned rings)
      : workload_(workload), options_(options), context_(context), rings_(rings), ready_(rings) {}

  // `may_give_up`: whether a busy processor ends it when it is warm.
  Result<RingsRun> run(bool may_give_up);
  bool has_given_up() const { return given_up_; }

 private:
  Result<RingsRun> run_ring(unsigned ring, bool may_give_up);
  RunContext context_of(unsigned ring, bool may_give_up);
  RingsRun add_up(const std::vector<Result<RingsRun>>& results) const;

  const Workload& workload_;
  const RingOptions& options_;
  const RunContext& context_;
  const unsigned rings_;
  std::latch ready_;
  std::atomic<std::optional<StopReason>> ended_{};
  std::atomic<bool> given_up_ = false;
};

Result<RingsRun> Attempt::run(bool may_give_up) {
  std::vector<Result<RingsRun>> results(rings_, Unexpected({Errc::io, "ring: did not start"}));
  std::vector<std::thread> threads;
  std::optional<Error> failure;
  try {
    for (unsigned ring = 0; ring < rings_; ++ring) {
      threads.emplace_back([&, ring] { results[ring] = run_ring(ring, may_give_up); });
    }
  } catch (const std::system_error& e) {
    ended_ = StopReason::time;
    ready_.count_down(static_cast<std::ptrdiff_t>(rings_ - threads.size()));
    failure =
        Error{Errc::exhausted, "thread of a ring: " + system_error(e.code().value()).message +
                                   ": more threads than TasksMax, ulimit -u or a cgroup allow"};
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) return Unexpected(*failure);
  for (const auto& result : results) {
    if (!result) return Unexpected(result.error());
  }
  return add_up(results);
}

// The queue is opened, used and closed on its thread: a ring of io_uring serves no other.
Result<RingsRun> Attempt::run_ring(unsigned ring, bool may_give_up) {
  const Workload part = share_of(workload_, ring, rings_);
  const unsigned depth = part.spec.queue_depth.value_or(1);
  auto buffers = BufferPool::create(depth, part.spec.block_size);
  auto opened = buffers ? options_.open(depth, *buffers) : Unexpected(buffers.error());
  if (!opened) ended_ = StopReason::time;
  ready_.arrive_and_wait();
  if (!opened) return Unexpected(opened.error());
  auto measured = run_capacity(*opened->queue, *buffers, part, context_of(ring, may_give_up));
  if (!measured) return Unexpected(measured.error());
  return RingsRun{*std::move(measured), opened->engine, std::move(opened->note)};
}

// The first ring speaks for all.
RunContext Attempt::context_of(unsigned ring, bool may_give_up) {
  RunContext context{.clock = context_.clock,
                     .boot_clock = context_.boot_clock,
                     .ended = &ended_,
                     .rings = rings_,
                     .completed = context_.completed};
  if (ring == 0) context.must_end = context_.must_end;
  if (ring == 0 && context_.progress) {
    context.progress = [this](Progress progress) {
      progress.iops *= rings_;
      context_.progress(progress);
    };
  }
  if (may_give_up) {
    context.gives_up = [this](Duration worked, Duration passed) {
      const bool is_busy = to_seconds(worked) > options_.busy * to_seconds(passed);
      if (is_busy) given_up_ = true;
      return is_busy;
    };
  }
  return context;
}

std::uint64_t blocks_of(const Measurement& measured) {
  return measured.operations[Operation::read].ios + measured.operations[Operation::write].ios;
}

// The rings' windows differ by the time between two batches. Each counts at its own rate: the
// common duration is the one that gives the sum of the rates.
Duration common_duration(const std::vector<Result<RingsRun>>& results) {
  double ios = 0;
  double rate = 0;
  Duration longest{};
  for (const auto& result : results) {
    const Measurement& measured = result->measured;
    longest = std::max(longest, measured.duration);
    if (measured.duration <= Duration{}) continue;
    const auto blocks = static_cast<double>(blocks_of(measured));
    ios += blocks;
    rate += blocks / to_seconds(measured.duration);
  }
  return rate > 0 ? from_seconds(ios / rate) : longest;
}

void add_verification(std::optional<Verification>& to, const std::optional<Verification>& from) {
  if (!from) return;
  if (!to) to = Verification{};
  to->blocks += from->blocks;
  to->torn += from->torn;
  to->stale += from->stale;
  if (!from->first_bad) return;
  to->first_bad = std::min(to->first_bad.value_or(*from->first_bad), *from->first_bad);
}

// The rings' windows begin within a batch of each other; only equal ones add up.
std::optional<RateProfile> common_profile(const std::vector<Result<RingsRun>>& results) {
  const auto& first = results.front()->measured.profile;
  if (!first || results.size() == 1) return first;
  std::vector<double> rates = first->rates;
  for (std::size_t ring = 1; ring < results.size(); ++ring) {
    const auto& profile = results[ring]->measured.profile;
    if (!profile || profile->window != first->window) return std::nullopt;
    rates.resize(std::min(rates.size(), profile->rates.size()));
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] += profile->rates[i];
  }
  if (rates.size() < kFewestWindows) return std::nullopt;
  return profile_of(std::move(rates), first->window);
}

RingsRun Attempt::add_up(const std::vector<Result<RingsRun>>& results) const {
  RingsRun total = *results.front();
  Measurement& sum = total.measured;
  for (std::size_t ring = 1; ring < results.size(); ++ring) {
    const Measurement& part = results[ring]->measured;
    for (const Operation operation : kOperations) {
      OperationStats& stats = sum.operations[operation];
      stats.ios += part.operations[operation].ios;
      stats.bytes += part.operations[operation].bytes;
      stats.latency.merge(part.operations[operation].latency);
    }
    add_costs(sum, part);
    sum.elapsed = std::max(sum.elapsed, part.elapsed);
    sum.cpu_busiest = std::max(sum.cpu_busiest, part.cpu_busiest);
    add_verification(sum.verification, part.verification);
    if (results[ring]->engine == Engine::threads) total.engine = Engine::threads;
    if (total.note.empty()) total.note = results[ring]->note;
  }
  sum.duration = common_duration(results);
  sum.profile = common_profile(results);
  sum.rings = rings_;
  sum.stopped_by = ended_.load().value_or(sum.stopped_by);
  return total;
}

}  // namespace

unsigned most_automatic_rings() {
  return std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMostRings);
}

Result<RingsRun> run_on_rings(const Workload& workload, const RingOptions& options,
                              const RunContext& context) {
  const bool is_automatic = !workload.spec.rings;
  const unsigned most = possible_rings(workload, workload.spec.rings.value_or(options.most));
  Workload left = workload;
  Measurement abandoned;
  std::atomic<std::uint64_t> completed = 0;
  RunContext shared = context;
  shared.completed = &completed;
  for (unsigned rings = is_automatic ? 1 : most;; rings = std::min(2 * rings, most)) {
    Attempt attempt(left, options, shared, rings);
    auto run = attempt.run(is_automatic && rings < most);
    if (!run) return run;
    add_costs(run->measured, abandoned);
    run->measured.elapsed += abandoned.elapsed;
    const auto limits = left_of(workload.spec.limits, run->measured);
    if (!attempt.has_given_up() || !limits) return run;
    abandoned = std::move(run->measured);
    left.spec.limits = *limits;
    left.seed = mix64(left.seed);  // or its writes could pass for those of the run before
  }
}

}  // namespace storage_probe::engine
