// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe::service {

// RAII over sd-event: timers, signals, descriptors and systemd's watchdog in one thread. Owned by
// the service; every Source must be gone before the loop is. Callbacks run on the thread that runs
// run() and may create and destroy sources, their own included. Reads no clock but sd-event's own,
// which is CLOCK_MONOTONIC as std::chrono::steady_clock is.
class EventLoop {
 public:
  // One watched thing; destroying it ends the watch.
  class Source {
   public:
    Source();
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    Source(Source&& other) noexcept;
    Source& operator=(Source&& other) noexcept;
    ~Source();

    // Timers only: fires once at `when`, or at once when that has passed. Rearms a fired timer.
    void set_time(SteadyTime when);

   private:
    friend class EventLoop;
    struct State;
    explicit Source(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  using Callback = std::function<void()>;

  static Result<EventLoop> create();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  EventLoop(EventLoop&& other) noexcept;
  EventLoop& operator=(EventLoop&& other) noexcept;
  ~EventLoop();

  Result<Source> on_readable(int fd, Callback callback);
  // The signal must be blocked in all threads.
  Result<Source> on_signal(int signal_number, Callback callback);
  Result<Source> timer(Callback callback);  // silent until set_time()

  // Feeds systemd's watchdog from the loop itself when the unit asks for it: a loop that hangs is
  // killed and restarted.
  Result<void> feed_watchdog();

  // Returns the code given to exit().
  Result<int> run();
  void exit(int code);

 private:
  struct State;
  explicit EventLoop(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace storage_probe::service
