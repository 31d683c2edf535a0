// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "base/units.h"
#include "engine/buffer_pool.h"
#include "engine/io_queue.h"
#include "engine/offsets.h"
#include "engine/run.h"
#include "engine/write_log.h"
#include "model/probe_report.h"

namespace storage_probe::engine {

// How an I/O stands after a completion.
struct Transfer {
  enum class State {
    completed,
    incomplete,  // it failed, or the limits do not pay for another try
    continued,   // the rest of it, or another try, goes out with the next batch
  };
  State state = State::completed;
  Operation operation = Operation::read;
  Bytes bytes{};
  SteadyTime started{};
};

// The I/Os of one run, whichever loop drives them: makes each one, pays for each request from the
// run's limits before it goes out, and follows it to its last byte. What a request costs, errors,
// retries and short I/Os go into the measurement; which completions are measured is the loop's
// affair. The buffers and the measurement must outlive it.
class Transfers {
 public:
  // Whether the workload makes sense and the buffers are enough for `depth` I/Os in flight.
  static Result<void> check(const Workload& workload, const BufferPool& buffers, unsigned depth);
  Transfers(const Workload& workload, BufferPool& buffers, unsigned depth,
            Measurement& measurement);

  // The limit that does not pay for one more block, if there is one. The fdatasync after the last
  // write is always kept back.
  std::optional<StopReason> spent() const;
  bool wants_fsync() const;       // the spec's cadence says so
  bool wants_last_fsync() const;  // something was written
  // At least 100 I/Os have failed one after the other, the last one too.
  bool is_hopeless() const;
  // From here on nothing goes out again of itself: no rest of a short I/O and no other try.
  void end() { has_ended_ = true; }

  bool has_free_slot() const { return !free_.empty(); }
  std::size_t in_flight() const { return slots_.size() - free_.size(); }
  Operation draw_operation();  // by the spec's share of reads
  void start_block(SteadyTime started);
  std::uint32_t start_read(std::uint64_t offset, SteadyTime started);  // of a block; its slot
  void start_fsync(SteadyTime started);
  void start_last_fsync(SteadyTime started);

  // The requests since the last call; valid until the next one.
  std::span<const Request> take_batch();
  Transfer complete(const Completion& completion);

  Usage paid() const { return {{}, bytes_paid_, ops_paid_}; }
  std::uint64_t completed() const { return completed_; }  // blocks

  // For reading back, where the spec says so: what was written, and the writer in its marks.
  const std::optional<WriteLog>& written() const { return written_; }
  std::uint64_t writer() const { return writer_; }

 private:
  struct Slot {
    Request request;  // the block as a whole
    SteadyTime started;
    std::uint32_t done = 0;  // bytes
    unsigned retries = 0;
    std::uint64_t generation = 0;  // of a write
  };

  std::uint64_t noise_seed(std::uint32_t slot) const { return mix64(writer_ + slot); }
  std::uint64_t draw_offset(Operation operation);
  std::uint32_t send_block(const Request& block, SteadyTime started);
  void mark(Slot& slot);
  void note_written(const Slot& slot, Transfer::State state);
  std::uint32_t take_slot(const Request& request, SteadyTime started);
  bool can_pay_for_request() const;
  void send(const Request& request);
  Transfer finish(Slot& slot, Transfer::State state);
  Transfer fail(Slot& slot, int errno_value);
  Transfer go_on(Slot& slot);

  const ProbeSpec spec_;
  BufferPool& buffers_;
  Measurement& measurement_;
  Offsets offsets_;
  Random random_;
  const std::uint64_t writer_;
  std::uint64_t generation_ = 0;  // of the last write
  std::optional<WriteLog> written_;
  std::vector<bool> was_read_into_;  // by slot; where writes are verified

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<Request> next_batch_, batch_;

  Ops ops_paid_;
  Bytes bytes_paid_;
  Ops kept_back_;
  std::uint64_t completed_ = 0, failed_in_a_row_ = 0;
  int writes_since_fsync_ = 0;
  bool has_ended_ = false;
};

// Adds a completed I/O to what the run has measured.
void record(Measurement& measurement, const Transfer& transfer, SteadyTime now);

}  // namespace storage_probe::engine
