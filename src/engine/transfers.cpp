// SPDX-License-Identifier: Apache-2.0
#include "engine/transfers.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <utility>

#include "engine/write_data.h"

namespace storage_probe::engine {
namespace {

constexpr unsigned kMostRetries = 64;         // of one I/O
constexpr std::uint64_t kHopelessFrom = 100;  // failed I/Os
constexpr Bytes kLargestBlock = kGiB;         // a completion counts its bytes in 31 bits

Unexpected senseless(const std::string& what) {
  return Unexpected({Errc::invalid, "workload: " + what});
}

}  // namespace

Result<void> Transfers::check(const Workload& workload, const BufferPool& buffers, unsigned depth) {
  const ProbeSpec& spec = workload.spec;
  if (spec.block_size.value == 0 || spec.block_size > kLargestBlock) {
    return senseless("no blocks of " + to_text(spec.block_size));
  }
  if (spec.block_size > buffers.block_size() || depth == 0 || depth > buffers.slots()) {
    return senseless("the buffers do not fit it");
  }
  const std::uint64_t most_blocks =
      std::numeric_limits<std::int64_t>::max() / spec.block_size.value;
  if (workload.blocks == 0 || workload.first_block >= most_blocks ||
      workload.blocks > most_blocks - workload.first_block) {
    return senseless("no blocks to work on");
  }
  if (spec.verify && depth > workload.blocks) return senseless("too few blocks to verify writes");
  if (spec.limits == Usage{}) return senseless("no limit of time, I/Os or bytes");
  return {};
}

Transfers::Transfers(const Workload& workload, BufferPool& buffers, unsigned depth,
                     Measurement& measurement)
    : spec_(workload.spec),
      buffers_(buffers),
      measurement_(measurement),
      offsets_(spec_.pattern, {workload.first_block, workload.blocks, spec_.block_size},
               mix64(workload.seed)),
      random_(mix64(workload.seed + 1)),
      writer_(mix64(workload.seed + 2)),
      slots_(depth),
      kept_back_{spec_.writes() ? 1U : 0U} {
  for (std::uint32_t slot = depth; slot > 0; --slot) free_.push_back(slot - 1);
  next_batch_.reserve(depth);
  batch_.reserve(depth);
  if (spec_.read_percent > 0) measurement_.operations[Operation::read].latency.reserve();
  if (!spec_.writes()) return;
  measurement_.operations[Operation::write].latency.reserve();
  measurement_.operations[Operation::fsync].latency.reserve();
  for (std::uint32_t slot = 0; slot < depth; ++slot) {
    fill_with_noise(buffers_.slot(slot), noise_seed(slot));
  }
  if (spec_.verify) {
    written_.emplace(BlockRange{workload.first_block, workload.blocks, spec_.block_size});
    was_read_into_.resize(depth);
  }
}

bool Transfers::can_pay_for_request() const {
  const Ops limit = spec_.limits.ops;
  return limit == Ops{} || ops_paid_ + kept_back_ < limit;
}

std::optional<StopReason> Transfers::spent() const {
  if (!can_pay_for_request()) return StopReason::ios;
  const Bytes limit = spec_.limits.bytes;
  if (limit != Bytes{} && bytes_paid_ + spec_.block_size > limit) return StopReason::bytes;
  return std::nullopt;
}

bool Transfers::wants_fsync() const {
  return spec_.fsync_every > 0 && writes_since_fsync_ >= spec_.fsync_every;
}

bool Transfers::wants_last_fsync() const {
  return measurement_.used[Operation::write].ops != Ops{};
}

// One short fault may fail all that is in flight.
bool Transfers::is_hopeless() const {
  return failed_in_a_row_ >= std::max<std::size_t>(kHopelessFrom, 2 * slots_.size());
}

Operation Transfers::draw_operation() {
  return random_.below(100) < spec_.read_percent ? Operation::read : Operation::write;
}

std::uint32_t Transfers::take_slot(const Request& request, SteadyTime started) {
  const std::uint32_t number = free_.back();
  free_.pop_back();
  slots_[number] = {.request = request, .started = started};
  slots_[number].request.slot = number;
  return number;
}

void Transfers::start_block(SteadyTime started) {
  const Operation operation = draw_operation();
  send_block({.operation = operation,
              .length = static_cast<std::uint32_t>(spec_.block_size.value),
              .offset = draw_offset(operation)},
             started);
}

std::uint32_t Transfers::start_read(std::uint64_t offset, SteadyTime started) {
  return send_block({.operation = Operation::read,
                     .length = static_cast<std::uint32_t>(spec_.block_size.value),
                     .offset = offset},
                    started);
}

// Of two writes to one block in flight at once nobody could tell which one must be there at the
// end. There are more blocks than can be in flight.
std::uint64_t Transfers::draw_offset(Operation operation) {
  std::uint64_t offset = offsets_.next();
  if (operation != Operation::write || !written_) return offset;
  while (written_->is_in_flight(offset)) offset = offsets_.next();
  return offset;
}

std::uint32_t Transfers::send_block(const Request& block, SteadyTime started) {
  const std::uint32_t slot = take_slot(block, started);
  if (block.operation == Operation::write) mark(slots_[slot]);
  if (written_ && block.operation == Operation::read) was_read_into_[slot] = true;
  bytes_paid_ += spec_.block_size;
  measurement_.used[block.operation].bytes += spec_.block_size;
  send(slots_[slot].request);
  return slot;
}

void Transfers::start_fsync(SteadyTime started) {
  // Writes complete in batches: those beyond the cadence count for the next one.
  writes_since_fsync_ = std::max(0, writes_since_fsync_ - spec_.fsync_every);
  const std::uint32_t slot = take_slot({.operation = Operation::fsync}, started);
  send(slots_[slot].request);
}

void Transfers::start_last_fsync(SteadyTime started) {
  kept_back_ = {};
  start_fsync(started);
}

void Transfers::send(const Request& request) {
  ops_paid_ += Ops{1};
  measurement_.used[request.operation].ops += Ops{1};
  next_batch_.push_back(request);
}

std::span<const Request> Transfers::take_batch() {
  batch_.clear();
  batch_.swap(next_batch_);
  return batch_;
}

Transfer Transfers::complete(const Completion& completion) {
  Slot& slot = slots_[completion.slot];
  if (completion.result < 0) return fail(slot, -completion.result);
  if (slot.request.operation == Operation::fsync) return finish(slot, Transfer::State::completed);
  // Inside the file nothing is transferred only by a device that is gone; asking again would never
  // end.
  if (completion.result == 0) return fail(slot, EIO);
  slot.done += static_cast<std::uint32_t>(completion.result);
  if (slot.done < slot.request.length) {
    ++measurement_.short_ios;
    return go_on(slot);
  }
  ++completed_;
  failed_in_a_row_ = 0;
  if (slot.request.operation == Operation::write && spec_.fsync_every > 0) ++writes_since_fsync_;
  return finish(slot, Transfer::State::completed);
}

// Sends what is missing, if it may.
Transfer Transfers::go_on(Slot& slot) {
  if (has_ended_ || !can_pay_for_request()) return finish(slot, Transfer::State::incomplete);
  Request rest = slot.request;
  rest.length -= slot.done;
  rest.buffer_offset += slot.done;
  rest.offset += slot.done;
  send(rest);
  return {.state = Transfer::State::continued};
}

Transfer Transfers::fail(Slot& slot, int errno_value) {
  const bool is_transient = errno_value == EAGAIN || errno_value == EINTR;
  if (is_transient && slot.retries < kMostRetries) {
    ++slot.retries;
    ++measurement_.retries;
    return go_on(slot);
  }
  ++failed_in_a_row_;
  if (slot.request.operation == Operation::fsync) measurement_.fsync_failed = true;
  ++measurement_.errors[std::string(errno_name(errno_value))];
  return finish(slot, Transfer::State::incomplete);
}

void Transfers::mark(Slot& slot) {
  const Request& block = slot.request;
  const auto memory = buffers_.slot(block.slot).first(block.length);
  slot.generation = ++generation_;
  if (written_) {
    // Without verification what was read will do: it is noise as well.
    if (was_read_into_[block.slot]) fill_with_noise(memory, noise_seed(block.slot));
    was_read_into_[block.slot] = false;
    written_->start(block.offset);
  }
  stamp(memory, {writer_, block.offset, slot.generation}, noise_seed(block.slot));
}

void Transfers::note_written(const Slot& slot, Transfer::State state) {
  if (state == Transfer::State::completed) {
    written_->complete(slot.request.offset, slot.generation);
  } else {
    written_->fail(slot.request.offset);
  }
}

Transfer Transfers::finish(Slot& slot, Transfer::State state) {
  if (written_ && slot.request.operation == Operation::write) note_written(slot, state);
  free_.push_back(slot.request.slot);
  return {.state = state,
          .operation = slot.request.operation,
          .bytes = {slot.request.length},
          .started = slot.started};
}

void record(Measurement& measurement, const Transfer& transfer, SteadyTime now) {
  OperationStats& stats = measurement.operations[transfer.operation];
  ++stats.ios;
  stats.bytes += transfer.bytes;
  stats.latency.record(now - transfer.started);
}

}  // namespace storage_probe::engine
