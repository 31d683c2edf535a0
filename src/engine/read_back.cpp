// SPDX-License-Identifier: Apache-2.0
#include "engine/read_back.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "engine/progress_meter.h"
#include "engine/write_data.h"
#include "engine/write_log.h"

namespace storage_probe::engine {
namespace {

Workload to_read(Workload workload) {
  workload.spec.read_percent = 100;
  workload.spec.verify = false;
  return workload;
}

// One pass, on the stack of read_back().
class ReadBack {
 public:
  ReadBack(const RunParts& run, std::uint64_t writer, const WriteLog& log)
      : run_(run),
        writer_(writer),
        log_(log),
        workload_(to_read(run.workload)),
        depth_(workload_.spec.kind == Kind::latency ? 1 : workload_.spec.queue_depth.value_or(1)),
        transfers_(workload_, run.buffers, depth_, measurement_),
        expected_(depth_),
        start_(run.clock.now()),
        progress_(run.context, workload_.spec.limits, start_) {}

  Result<void> run();
  const Measurement& measurement() const { return measurement_; }
  const Verification& found() const { return found_; }

 private:
  bool is_over() const;
  void refill();
  Result<void> exchange();
  void check(std::uint32_t slot);

  const RunParts& run_;
  const std::uint64_t writer_;
  const WriteLog& log_;
  const Workload workload_;
  const unsigned depth_;
  Measurement measurement_;
  Transfers transfers_;
  std::vector<WriteLog::Entry> expected_;  // by slot
  const SteadyTime start_;
  ProgressMeter progress_;
  std::uint64_t next_ = 0;  // the offset from which on to look for the next one
  Verification found_;
};

bool ReadBack::is_over() const {
  const Duration limit = workload_.spec.limits.time;
  const bool is_late = limit != Duration{} && run_.clock.now() - start_ >= limit;
  return is_late || transfers_.is_hopeless() || transfers_.spent().has_value();
}

Result<void> ReadBack::run() {
  while (true) {
    refill();
    if (transfers_.in_flight() == 0) break;
    if (auto done = exchange(); !done) return done;
  }
  measurement_.gave_up = transfers_.is_hopeless();
  return {};
}

void ReadBack::refill() {
  while (transfers_.has_free_slot() && !is_over()) {
    const auto entry = log_.find_from(next_);
    if (!entry) {
      next_ = std::numeric_limits<std::uint64_t>::max();
      return;
    }
    next_ = entry->offset + workload_.spec.block_size.value;
    expected_[transfers_.start_read(entry->offset, run_.clock.now())] = *entry;
  }
}

Result<void> ReadBack::exchange() {
  const auto completions = run_.queue.exchange(transfers_.take_batch(), 1, kTick);
  if (!completions) return Unexpected(completions.error());
  const SteadyTime now = run_.clock.read();
  for (const Completion& completion : *completions) {
    if (transfers_.complete(completion).state == Transfer::State::completed) check(completion.slot);
  }
  progress_.update(now, transfers_.paid(), transfers_.completed());
  return {};
}

void ReadBack::check(std::uint32_t slot) {
  const WriteLog::Entry& entry = expected_[slot];
  const auto block = run_.buffers.slot(slot).first(workload_.spec.block_size.value);
  const auto mark = read_mark(block);
  ++found_.blocks;
  if (mark == WriteMark{writer_, entry.offset, entry.generation}) return;
  ++(mark ? found_.stale : found_.torn);
  // They complete in any order.
  const Bytes offset{entry.offset};
  found_.first_bad = std::min(found_.first_bad.value_or(offset), offset);
}

}  // namespace

Result<void> read_back(const RunParts& run, const Transfers& written, Measurement& measurement) {
  if (!written.written() || measurement.gave_up) return {};
  ReadBack pass(run, written.writer(), *written.written());
  if (auto done = pass.run(); !done) return done;
  const Measurement& took = pass.measurement();
  measurement.used[Operation::read] += took.used[Operation::read];
  measurement.retries += took.retries;
  measurement.short_ios += took.short_ios;
  for (const auto& [name, count] : took.errors) measurement.errors[name] += count;
  measurement.gave_up = took.gave_up;
  measurement.verification = pass.found();
  return {};
}

}  // namespace storage_probe::engine
