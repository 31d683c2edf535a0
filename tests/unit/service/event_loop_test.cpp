// SPDX-License-Identifier: Apache-2.0
#include "service/event_loop.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>

#include "base/unique_fd.h"

namespace storage_probe::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

EventLoop make_loop() {
  auto loop = EventLoop::create();
  EXPECT_TRUE(loop) << (loop ? "" : loop.error().message);
  return std::move(*loop);
}

TEST(EventLoop, RunReturnsTheCodeGivenToExit) {
  EventLoop loop = make_loop();
  auto timer = loop.timer([&] { loop.exit(7); });
  timer->set_time(steady_clock::now());
  EXPECT_EQ(*loop.run(), 7);
}

TEST(EventLoop, ATimerIsNeverEarly) {
  EventLoop loop = make_loop();
  const auto when = steady_clock::now() + milliseconds(30);
  SteadyTime fired;
  auto timer = loop.timer([&] {
    fired = steady_clock::now();
    loop.exit(0);
  });
  timer->set_time(when);
  ASSERT_TRUE(loop.run());
  EXPECT_GE(fired, when);
}

TEST(EventLoop, ATimerFiresOnceAndCanBeSetAgainFromItsCallback) {
  EventLoop loop = make_loop();
  int fired = 0;
  std::optional<EventLoop::Source> timer;
  timer = *loop.timer([&] {
    if (++fired == 3) return loop.exit(0);
    timer->set_time(steady_clock::now());
  });
  timer->set_time(steady_clock::now());
  ASSERT_TRUE(loop.run());
  EXPECT_EQ(fired, 3);
}

TEST(EventLoop, ASourceMayDestroyItselfInItsCallback) {
  EventLoop loop = make_loop();
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const UniqueFd in(ends[0]);
  UniqueFd out(ends[1]);
  int called = 0;
  EventLoop::Source source;
  source = *loop.on_readable(in.get(), [&] {
    ++called;
    source = {};
    EXPECT_EQ(called, 1);  // what was captured is still there
  });
  ASSERT_EQ(write(out.get(), "x", 1), 1);
  auto end = loop.timer([&] { loop.exit(0); });
  end->set_time(steady_clock::now() + milliseconds(20));
  ASSERT_TRUE(loop.run());
  EXPECT_EQ(called, 1);
}

TEST(EventLoop, ABlockedSignalBecomesACallback) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, nullptr), 0);
  EventLoop loop = make_loop();
  auto source = loop.on_signal(SIGUSR1, [&] { loop.exit(3); });
  ASSERT_TRUE(source);
  kill(getpid(), SIGUSR1);
  EXPECT_EQ(*loop.run(), 3);
}

TEST(EventLoop, AClosedDescriptorIsAnErrorThatSaysWhat) {
  EventLoop loop = make_loop();
  const auto source = loop.on_readable(-1, [] {});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().message.rfind("watch a descriptor: ", 0), 0U);
}

}  // namespace
}  // namespace storage_probe::service
