// SPDX-License-Identifier: Apache-2.0
#include "service/event_loop.h"

#include <sys/epoll.h>
#include <systemd/sd-event.h>

#include <ctime>
#include <utility>

namespace storage_probe::service {
namespace {

// sd-event may group timers within this; the schedule is in seconds.
constexpr std::chrono::microseconds kTimerAccuracy{5000};

std::uint64_t to_usec(SteadyTime when) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(when.time_since_epoch());
  return since.count() < 0 ? 0 : static_cast<std::uint64_t>(since.count());
}

}  // namespace

struct EventLoop::Source::State {
  sd_event_source* source = nullptr;
  Callback callback;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { sd_event_source_disable_unref(source); }

  // A callback may destroy its own Source, and with it this State: call a copy.
  static int call(void* state) {
    const Callback callback = static_cast<State*>(state)->callback;
    callback();
    return 0;
  }
};

EventLoop::Source::Source(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventLoop::Source::Source() = default;
EventLoop::Source::Source(Source&&) noexcept = default;
EventLoop::Source& EventLoop::Source::operator=(Source&&) noexcept = default;
EventLoop::Source::~Source() = default;

void EventLoop::Source::set_time(SteadyTime when) {
  sd_event_source_set_time(state_->source, to_usec(when));
  sd_event_source_set_enabled(state_->source, SD_EVENT_ONESHOT);
}

struct EventLoop::State {
  sd_event* event = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { sd_event_unref(event); }
};

EventLoop::EventLoop(std::unique_ptr<State> state) : state_(std::move(state)) {}
EventLoop::EventLoop(EventLoop&&) noexcept = default;
EventLoop& EventLoop::operator=(EventLoop&&) noexcept = default;
EventLoop::~EventLoop() = default;

Result<EventLoop> EventLoop::create() {
  auto state = std::make_unique<State>();
  const int result = sd_event_new(&state->event);
  if (result < 0) return Unexpected(system_error(-result).in("create the event loop"));
  return EventLoop(std::move(state));
}

Result<EventLoop::Source> EventLoop::on_readable(int fd, Callback callback) {
  auto source = std::make_unique<Source::State>();
  source->callback = std::move(callback);
  const int result = sd_event_add_io(
      state_->event, &source->source, fd, EPOLLIN,
      [](sd_event_source*, int, std::uint32_t, void* data) { return Source::State::call(data); },
      source.get());
  if (result < 0) return Unexpected(system_error(-result).in("watch a descriptor"));
  return Source(std::move(source));
}

Result<EventLoop::Source> EventLoop::on_signal(int signal_number, Callback callback) {
  auto source = std::make_unique<Source::State>();
  source->callback = std::move(callback);
  const int result = sd_event_add_signal(
      state_->event, &source->source, signal_number,
      [](sd_event_source*, const signalfd_siginfo*, void* data) {
        return Source::State::call(data);
      },
      source.get());
  if (result < 0) return Unexpected(system_error(-result).in("watch a signal"));
  return Source(std::move(source));
}

Result<EventLoop::Source> EventLoop::timer(Callback callback) {
  auto source = std::make_unique<Source::State>();
  source->callback = std::move(callback);
  const int result = sd_event_add_time(
      state_->event, &source->source, CLOCK_MONOTONIC, 0,
      static_cast<std::uint64_t>(kTimerAccuracy.count()),
      [](sd_event_source*, std::uint64_t, void* data) { return Source::State::call(data); },
      source.get());
  if (result < 0) return Unexpected(system_error(-result).in("make a timer"));
  sd_event_source_set_enabled(source->source, SD_EVENT_OFF);
  return Source(std::move(source));
}

Result<void> EventLoop::feed_watchdog() {
  const int result = sd_event_set_watchdog(state_->event, 1);
  if (result < 0) return Unexpected(system_error(-result).in("feed the watchdog"));
  return {};
}

Result<int> EventLoop::run() {
  const int result = sd_event_loop(state_->event);
  if (result < 0) return Unexpected(system_error(-result).in("run the event loop"));
  return result;
}

void EventLoop::exit(int code) { sd_event_exit(state_->event, code); }

}  // namespace storage_probe::service
