// SPDX-License-Identifier: Apache-2.0
#include "engine/file_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/hash.h"
#include "engine/buffer_pool.h"
#include "engine/managed_file.h"
#include "engine/write_data.h"

namespace storage_probe::engine {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr Bytes kLargestChunk = kMiB;
constexpr Bytes kSmallestChunk{64 * kKiB.value};
// Asking more often costs more than it says; the longest wait keeps the promise of four a second.
constexpr Duration kAskEvery = milliseconds(100);
constexpr Duration kLongestWait = milliseconds(200);
// After the data: an fsync, the header, an fsync.
constexpr Ops kClosingOps{3};

}  // namespace

void FileWriter::fill(std::span<std::byte> chunk, std::uint64_t offset) const {
  const std::uint64_t seed = mix64(header_.nonce ^ offset);
  fill_with_noise(chunk, seed);
  stamp(chunk, {.writer = header_.nonce, .offset = offset}, seed);
}

// False: not another byte.
bool FileWriter::ask(double done) {
  const SteadyTime now = Clock::now();
  if (!options_.on_progress || now - asked_ < kAskEvery) return true;
  for (;;) {
    asked_ = Clock::now();
    switch (options_.on_progress(done)) {
      case Pace::go_on:
        return true;
      case Pace::wait:
        std::this_thread::sleep_for(kLongestWait);
        continue;
      case Pace::stop:
        return false;
    }
  }
}

// Time that was lost to a busy device is not caught up with: the rate holds at every moment.
bool FileWriter::wait_for_turn(Bytes chunk, double done) {
  if (!ask(done)) return false;
  if (!options_.rate) return true;
  for (SteadyTime now = Clock::now(); now < due_; now = Clock::now()) {
    std::this_thread::sleep_for(std::min<Duration>(due_ - now, kLongestWait));
    if (!ask(done)) return false;
  }
  // A rate of almost nothing must not overflow.
  const double seconds = static_cast<double>(chunk.value) / std::max(*options_.rate, 1.0);
  due_ = std::max(due_, Clock::now()) + from_seconds(seconds);
  return true;
}

// Whether the chunk, and all that must follow it, is within the allowance.
bool FileWriter::can_pay(Bytes chunk) const {
  Usage spent;
  for (const Operation operation : kOperations) spent += spent_[operation];
  const Usage& most = options_.allowance;
  return spent.bytes + chunk + header_area(alignment_) <= most.bytes &&
         spent.ops + Ops{1} + kClosingOps <= most.ops && Clock::now() - started_ < most.time;
}

std::optional<Failure> FileWriter::write_fully(std::span<const std::byte> data,
                                               std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t written =
        ::pwrite(file_.fd, data.data(), data.size(), static_cast<off_t>(offset));
    spent_[Operation::write].ops += Ops{1};
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_with_errno(errno, "write " + file_.name);
    spent_[Operation::write].bytes += Bytes{static_cast<std::uint64_t>(written)};
    // The rest must be aligned again.
    const std::size_t step =
        static_cast<std::size_t>(written) / alignment_.value * alignment_.value;
    if (step == 0) return fail_with_errno(ENOSPC, "write " + file_.name);
    data = data.subspan(step);
    offset += step;
  }
  return std::nullopt;
}

// At most what the rate allows in a quarter of a second, so that it is no series of bursts.
Bytes FileWriter::largest_chunk() const {
  Bytes chunk = kLargestChunk;
  while (options_.rate && chunk > kSmallestChunk &&
         static_cast<double>(chunk.value) > *options_.rate / 4)
    chunk.value /= 2;
  return chunk;
}

std::optional<Failure> FileWriter::write_data(std::span<std::byte> buffer, Bytes from) {
  const Bytes largest = largest_chunk();
  Bytes chunk = std::min(largest, Bytes{kLargestChunk.value / 4});
  header_.size = from;
  while (header_.size < goal_) {
    const std::uint64_t offset = header_.size.value;
    // Up to the next multiple, so that all chunks but the first start on one.
    const std::uint64_t length = std::min(chunk.value - offset % chunk.value, goal_.value - offset);
    if (!can_pay({length}) && chunk > kSmallestChunk) {
      chunk.value /= 2;
      continue;
    }
    if (!can_pay({length})) {
      stopped_by_ = Stop::allowance;
      break;
    }
    if (!wait_for_turn({length}, share(offset))) {
      stopped_by_ = Stop::called_off;
      break;
    }
    const auto data = buffer.first(length);
    fill(data, offset);
    const SteadyTime start = Clock::now();
    if (auto failure = write_fully(data, offset)) return failure;
    const Duration took = Clock::now() - start;
    // A slow volume must not keep us silent, a fast one not wait for us.
    if (took > kLongestWait) chunk = std::max(Bytes{chunk.value / 2}, kSmallestChunk);
    if (took < kLongestWait / 8 && can_pay({2 * chunk.value}))
      chunk = std::min(Bytes{chunk.value * 2}, largest);
    header_.size += Bytes{length};
  }
  header_.is_complete = stopped_by_ == Stop::complete;
  return std::nullopt;
}

std::optional<Failure> FileWriter::sync() {
  spent_[Operation::fsync].ops += Ops{1};
  if (::fsync(file_.fd) != 0) return fail_with_errno(errno, "fsync " + file_.name);
  return std::nullopt;
}

std::optional<Failure> FileWriter::write_header(std::span<std::byte> area) {
  std::fill(area.begin(), area.end(), std::byte{});
  const auto header = encode_header(header_);
  std::memcpy(area.data(), header.data(), header.size());
  return write_fully(area, 0);
}

std::optional<Failure> FileWriter::prove_direct_io(std::span<std::byte> block, Bytes at) {
  fill(block, at.value);
  RoundTrip trip = direct_round_trip(file_, block, at.value);
  for (const Operation operation : kOperations) spent_[operation] += trip.spent[operation];
  return std::move(trip.failure);
}

std::optional<Failure> FileWriter::write(Bytes alignment, Bytes from) {
  started_ = Clock::now();
  alignment_ = alignment;
  const Bytes area = header_area(alignment);
  const auto pool = BufferPool::create(1, std::max(kLargestChunk, area));
  if (!pool) return fail(TargetState::io_error, pool.error().message);
  const std::span<std::byte> buffer = pool->slot(0);
  // What is no whole chunk is written again: an unaligned size is not from here.
  const Bytes start =
      std::max(Bytes{from.value / kSmallestChunk.value * kSmallestChunk.value}, area);
  if (start < goal_) {
    if (auto failure = prove_direct_io(buffer.first(area.value), start)) return failure;
    if (auto failure = write_data(buffer, start)) return failure;
    if (header_.size == start)
      return fail(TargetState::preparing, "laying out " + file_.name + " was called off");
    if (auto failure = sync()) return failure;
  }
  if (auto failure = write_header(buffer.first(area.value))) return failure;
  if (auto failure = sync()) return failure;
  if (::ftruncate(file_.fd, static_cast<off_t>(header_.size.value)) != 0)
    return fail_with_errno(errno, "truncate " + file_.name);
  asked_ = {};  // the last word is always said
  ask(share(header_.size.value));
  return std::nullopt;
}

}  // namespace storage_probe::engine
