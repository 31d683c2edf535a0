// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "engine/clock.h"
#include "engine/io_queue.h"

namespace storage_probe::test {

// A device that exists on paper, under virtual time: only an exchange makes time pass, 1 us for the
// call and as long as it waits. What it answers and how long that takes is set by the test.
class FakeQueue final : public engine::IoQueue {
 public:
  struct Sent {
    engine::Request request;
    Duration at;  // since the start
  };
  // Both are asked when a request arrives; `number` counts requests from 0.
  using Answer = std::function<std::int32_t(const engine::Request&, std::size_t number)>;
  using Latency = std::function<Duration(const engine::Request&, std::size_t number)>;

  Answer answer = [](const engine::Request& request, std::size_t) { return success(request); };
  Latency latency = [](const engine::Request&, std::size_t) {
    return std::chrono::milliseconds{1};
  };
  std::optional<Error> breakdown;  // of the queue itself, at the next exchange

  static std::int32_t success(const engine::Request& request) {
    return static_cast<std::int32_t>(request.length);
  }

  // What would complete in [from, to) completes at `to`. Times are since the start.
  void stall(Duration from, Duration to) { stalls_.push_back({kStart + from, kStart + to}); }

  engine::Clock clock() {
    return [this] {
      ++clock_reads;
      return now_;
    };
  }
  Duration elapsed() const { return now_ - kStart; }

  Result<std::span<const engine::Completion>> exchange(std::span<const engine::Request> batch,
                                                       unsigned wait_for,
                                                       Duration timeout) override {
    if (breakdown) return Unexpected(*breakdown);
    ++exchanges;
    now_ += std::chrono::microseconds{1};
    for (const engine::Request& request : batch) accept(request);
    most_in_flight = std::max(most_in_flight, in_flight_.size());
    const SteadyTime until = now_ + timeout;
    const SteadyTime enough = wait_for == 0                  ? now_
                              : in_flight_.size() < wait_for ? SteadyTime::max()
                                                             : nth_completion(wait_for);
    now_ = std::max(now_, std::min(until, enough));
    return reap();
  }

  std::vector<Sent> sent;
  std::size_t most_in_flight = 0;
  std::size_t exchanges = 0, clock_reads = 0;
  std::uint64_t transferred = 0;     // bytes
  bool slot_was_used_twice = false;  // at the same time: never allowed

 private:
  static constexpr SteadyTime kStart{std::chrono::hours{1000}};
  struct InFlight {
    SteadyTime completes;
    engine::Completion completion;
  };
  struct Stall {
    SteadyTime from, to;
  };

  void accept(const engine::Request& request) {
    const std::size_t number = sent.size();
    sent.push_back({request, elapsed()});
    SteadyTime completes = now_ + latency(request, number);
    for (const Stall& stall : stalls_) {
      if (completes >= stall.from && completes < stall.to) completes = stall.to;
    }
    const std::int32_t result = answer(request, number);
    if (result > 0) transferred += static_cast<std::uint64_t>(result);
    for (const InFlight& other : in_flight_) {
      slot_was_used_twice |= other.completion.slot == request.slot;
    }
    in_flight_.push_back({completes, {request.slot, result}});
  }

  SteadyTime nth_completion(unsigned n) {
    std::ranges::stable_sort(in_flight_, {}, &InFlight::completes);
    return in_flight_[n - 1].completes;
  }

  std::span<const engine::Completion> reap() {
    reaped_.clear();
    std::erase_if(in_flight_, [this](const InFlight& io) {
      if (io.completes > now_) return false;
      reaped_.push_back(io.completion);
      return true;
    });
    return reaped_;
  }

  SteadyTime now_ = kStart;
  std::vector<InFlight> in_flight_;
  std::vector<engine::Completion> reaped_;
  std::vector<Stall> stalls_;
};

}  // namespace storage_probe::test
