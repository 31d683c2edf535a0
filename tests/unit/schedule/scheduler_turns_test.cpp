// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "schedule/plan.h"
#include "schedule/scheduler.h"
#include "unit/schedule/world.h"

namespace storage_probe::schedule {
namespace {

using test::config_of;
using test::planned;
using test::target;
using test::World;
using namespace std::chrono_literals;

// One target whose only probe has had its first turn, in the middle between two slots.
class Request : public testing::Test {
 protected:
  Request() : world_(config_of({target("db", {planned("randread", 1h)})})) {
    world_.run_for(10s);
    while (*world_.scheduler.next_run(kProbe) - world_.facts.now < 20min) world_.run_for(5min);
    before_ = world_.started.size();
    slot_ = *world_.scheduler.next_run(kProbe);
  }

  std::size_t started() const { return world_.started.size() - before_; }

  static constexpr ProbeId kProbe{0, 0};
  World world_;
  std::size_t before_ = 0;
  SteadyTime slot_;
};

TEST_F(Request, BringsAProbeForwardAndLeavesItsSlotWhereItIs) {
  const SteadyTime when = world_.facts.now + 30s;
  world_.scheduler.request(kProbe, when);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), when);
  world_.run_for(1min);
  ASSERT_EQ(started(), 1U);
  EXPECT_EQ(world_.started.back().at, when);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), slot_);
}

TEST_F(Request, NeverPutsAProbeOff) {
  world_.scheduler.request(kProbe, slot_ + 1min);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), slot_);
}

TEST_F(Request, IsGivenUpWhileOthersNeedTheDevice) {
  world_.facts.busy["db"] = "others do 3k I/Os per second";
  world_.scheduler.request(kProbe, world_.facts.now);
  world_.run_for(1s);
  EXPECT_EQ(started(), 0U);
  EXPECT_EQ(world_.skips_of(SkipReason::busy), 1U);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), slot_);
}

TEST_F(Request, WaitsAMinuteAtMostForARunningProbe) {
  World world(config_of({target("db", {planned("randread", 1h), planned("seqread", 2h)})}));
  world.takes["db"] = 10min;
  world.run_for(5min);
  ASSERT_EQ(world.started.size(), 1U);
  world.run_for(8min);
  ASSERT_EQ(world.started.size(), 2U);  // seqread runs, randread is asked for
  world.scheduler.request(kProbe, world.facts.now);
  world.run_for(61s);
  EXPECT_EQ(world.skips_of(SkipReason::device_in_use), 1U);
}

TEST_F(Request, OfATargetThatIsNotReadyChangesNothing) {
  world_.endings["db"] = Ending::not_ready;
  world_.run_until(slot_ + 10s);
  const auto retry = world_.scheduler.next_run(kProbe);
  world_.scheduler.request(kProbe, world_.facts.now);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), retry);
}

TEST_F(Request, OfAnUnknownProbeChangesNothing) {
  world_.scheduler.request({7, 0}, world_.facts.now);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), slot_);
}

TEST_F(Request, OutlivesAReloadThatChangesNothing) {
  const SteadyTime when = world_.facts.now + 30s;
  world_.scheduler.request(kProbe, when);
  world_.reload(world_.config);
  EXPECT_EQ(world_.scheduler.next_run(kProbe), when);
}

TEST(EarlierRun, YoungerThanTheIntervalIsNotRepeated) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.scheduler.note_earlier_run(world.id_of("db", "randread"), 1h, World::kStart);
  world.run_for(10s);
  EXPECT_TRUE(world.starts_of("db", "randread").empty());
  EXPECT_FALSE(world.starts_of("db", "latency").empty());  // whose turn it is instead
  world.run_for(6h);
  EXPECT_EQ(world.starts_of("db", "randread").size(), 1U);
}

TEST(EarlierRun, OlderThanTheIntervalIsRepeated) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.scheduler.note_earlier_run({0, 0}, 7h, World::kStart);
  world.run_for(10s);
  EXPECT_EQ(world.started.size(), 1U);
}

TEST(AnsweredByLoad, LeavesOutASlotAndCountsIt) {
  World world(config_of({target("db", {planned("randread", 1h)})}));
  world.facts.answered = {{0, 0}};
  world.run_for(10s);
  EXPECT_EQ(world.started.size(), 1U);  // a first turn is not a slot
  world.run_for(1h);
  EXPECT_EQ(world.started.size(), 1U);
  EXPECT_EQ(world.skips_of(SkipReason::answered_by_load), 1U);
  world.facts.answered.clear();
  world.run_for(1h);
  EXPECT_EQ(world.started.size(), 2U);
}

}  // namespace
}  // namespace storage_probe::schedule
