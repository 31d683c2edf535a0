// SPDX-License-Identifier: Apache-2.0
#include "schedule/scheduler.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "model/worst_case.h"
#include "schedule/plan.h"
#include "unit/schedule/world.h"

namespace storage_probe::schedule {
namespace {

using test::config_of;
using test::planned;
using test::target;
using test::World;
using namespace std::chrono_literals;

const std::string kHost = "0123456789abcdef";

Target usual(const std::string& name) {
  return target(name,
                {planned("latency", 1min), planned("randread", 15min), planned("seqread", 1h)});
}

// The first slot of a probe after `now`, as it must be.
SteadyTime slot(const std::string& name, const std::string& probe, Duration every, SteadyTime now) {
  return slot_after(now, phase_of(kHost, name, probe, every), every);
}

TEST(FirstTurns, FollowEachOtherInTheOrderOfTheConfiguration) {
  World world(config_of(
      {target("db", {planned("randread", 6h), planned("seqread", 6h), planned("latency", 6h)})}));
  world.run_for(1min);
  ASSERT_GE(world.started.size(), 3U);
  const SteadyTime first = world.started[0].at;
  EXPECT_LE(first - World::kStart, 5s);
  EXPECT_EQ(world.starts_of("db", "randread").front(), first);
  EXPECT_EQ(world.starts_of("db", "seqread").front(), first + 2s);
  EXPECT_EQ(world.starts_of("db", "latency").front(), first + 4s);
}

TEST(FirstTurns, AreDelayedByAtMostATenthOfTheInterval) {
  for (int host = 0; host < 50; ++host) {
    const World world(config_of({target("db", {planned("latency", 10s)})}), std::to_string(host));
    const auto due = world.scheduler.next_run({0, 0});
    EXPECT_GE(*due, World::kStart);
    EXPECT_LE(*due - World::kStart, 1s);
  }
}

TEST(FirstTurns, OfManyHostsAreNoBurst) {
  std::set<SteadyTime> times;
  for (int host = 0; host < 100; ++host) {
    const World world(config_of({usual("db")}), std::to_string(host));
    times.insert(*world.scheduler.next_run({0, 0}));
  }
  EXPECT_EQ(times.size(), 100U);
}

TEST(FirstTurns, ComeAtOnceOnTheEmbeddedDefault) {
  Target any = usual("default");
  any.any_directory = true;
  World world(config_of({any}));
  world.run_for(0s);
  ASSERT_EQ(world.started.size(), 1U);
  EXPECT_EQ(world.scheduler.lag(), 0s);
}

// 40 first layouts of 30 s, one at a time: a slot would be skipped, a first turn waits.
TEST(FirstTurns, WaitForEachOtherAsLongAsTheirInterval) {
  std::vector<Target> targets;
  for (int i = 0; i < 40; ++i)
    targets.push_back(target("t" + std::to_string(i), {planned("randread", 6h)}));
  World world(config_of(targets));
  for (const Target& t : targets) world.takes[t.name] = 30s;
  world.run_for(40 * 30s + 5s);
  std::set<std::string> seen;
  for (const auto& start : world.started) seen.insert(start.target);
  EXPECT_EQ(seen.size(), 40U);
}

TEST(FirstTurns, GoOnWhenOneIsSkipped) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 6h)})}));
  world.ledger.set_allowance("db", {24h, kGiB, Ops{300}}, World::kStart);  // not for randread
  world.run_for(10s);
  EXPECT_EQ(world.skips_of(SkipReason::budget), 1U);
  EXPECT_EQ(world.starts_of("db", "latency").size(), 1U);
}

TEST(Slots, LieOnTheGridOfTheirPhase) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(1h);
  const auto starts = world.starts_of("db", "latency");
  ASSERT_GE(starts.size(), 60U);
  for (std::size_t i = 1; i < starts.size(); ++i)
    EXPECT_EQ(starts[i], slot("db", "latency", 1min, starts[i] - 1ns));
  for (std::size_t i = 2; i < starts.size(); ++i) EXPECT_EQ(starts[i] - starts[i - 1], 1min);
}

TEST(Slots, AreKnownBeforehand) {
  World world(config_of({usual("db")}));
  world.run_for(1min);
  EXPECT_EQ(world.scheduler.next_run(world.id_of("db", "seqread")),
            slot("db", "seqread", 1h, world.facts.now));
  EXPECT_FALSE(world.scheduler.next_run({7, 0}));
  EXPECT_FALSE(world.scheduler.next_run({0, 7}));
}

TEST(Slots, SpreadAFleet) {
  // How many of 1000 hosts start in each tenth of the interval.
  std::vector<int> tenths(10);
  for (int host = 0; host < 1000; ++host) {
    World world(config_of({target("db", {planned("randread", 15min)})}),
                "host-" + std::to_string(host));
    world.run_for(10s);
    const Duration ahead = *world.scheduler.next_run({0, 0}) - world.facts.now;
    ++tenths[static_cast<std::size_t>(ahead / 90s) % 10];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 100, 35);
}

TEST(Next, WaitsExactlyUntilSomethingIsDue) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(30s);
  const Decision decision = world.scheduler.next(world.facts);
  ASSERT_TRUE(std::holds_alternative<WaitUntil>(decision));
  EXPECT_EQ(std::get<WaitUntil>(decision).when, *world.scheduler.next_run({0, 0}));
}

TEST(Next, WaitsAnHourWhenThereIsNothing) {
  World world(config_of({}));
  const Decision decision = world.scheduler.next(world.facts);
  EXPECT_EQ(std::get<WaitUntil>(decision).when, World::kStart + 1h);
}

TEST(Lag, IsHowLateAProbeStarted) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(10s);
  world.sleep_for(*world.scheduler.next_run({0, 0}) - world.facts.now + 300ms);
  world.run_for(0s);
  EXPECT_EQ(world.scheduler.lag(), 300ms);
}

TEST(MissedSlots, AreNotMadeUpForAfterASuspend) {
  std::vector<Target> targets;
  for (int i = 0; i < 200; ++i) targets.push_back(usual("t" + std::to_string(i)));
  World world(config_of(targets));
  world.run_for(2h);
  const std::size_t before = world.started.size();
  world.sleep_for(6h);
  const SteadyTime woken = world.facts.now;
  world.run_for(0s);
  // Only what fell due in the last tenth of a minute; all the rest keeps its place on the grid.
  EXPECT_LE(world.started.size() - before, 40U);
  world.run_until(woken + 50s);
  std::set<std::string> seen;
  for (std::size_t i = before; i < world.started.size(); ++i) {
    if (world.started[i].probe != "latency") continue;
    EXPECT_TRUE(seen.insert(world.started[i].target).second) << "twice within a minute";
  }
  EXPECT_GT(seen.size(), 130U);
}

TEST(MissedSlots, GiveOneRunAtMost) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(10min);
  // To just after a slot: that one is still good, the 99 before are gone.
  world.sleep_for(*world.scheduler.next_run({0, 0}) - world.facts.now + 99min + 2s);
  const std::size_t before = world.started.size();
  world.run_for(50s);
  EXPECT_EQ(world.started.size() - before, 1U);
  EXPECT_TRUE(world.skipped.empty());
}

TEST(MissedSlots, AreGoneWhenTheyAreTooLate) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(10min);
  const SteadyTime due = *world.scheduler.next_run({0, 0});
  world.sleep_for(due - world.facts.now + 7s);
  const std::size_t before = world.started.size();
  world.run_for(0s);
  EXPECT_EQ(world.started.size(), before);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), due + 1min);
}

TEST(Devices, AreUsedByOneProbeAtATime) {
  World world(config_of(
      {target("a", {planned("latency", 1min)}), target("b", {planned("latency", 1min)})}));
  world.facts.devices = {{"a", {"259:0"}}, {"b", {"259:0", "259:1"}}};
  world.takes = {{"a", 10s}, {"b", 10s}};
  world.run_for(1min);
  const auto a = world.starts_of("a", "latency").front();
  const auto b = world.starts_of("b", "latency").front();
  EXPECT_GE(std::max(a, b) - std::min(a, b), 10s);
}

TEST(Devices, AreWaitedForAQuarterOfTheInterval) {
  World world(
      config_of({target("a", {planned("latency", 1min)}), target("b", {planned("seqread", 6h)})}));
  world.facts.devices = {{"a", {"259:0"}}, {"b", {"259:0"}}};
  world.takes["b"] = 40min;
  world.run_for(30min);
  ASSERT_FALSE(world.skipped.empty());
  for (const auto& skip : world.skipped) {
    EXPECT_EQ(skip.reason, SkipReason::device_in_use);
    EXPECT_EQ(skip.detail, "seqread of b is running");
  }
  // Every slot but those of the first minute was skipped, a quarter of a minute after it was due.
  EXPECT_GE(world.skipped.size(), 28U);
  const auto& last = world.skipped.back();
  EXPECT_EQ(last.at, slot("a", "latency", 1min, last.at - 16s) + 15s);
}

TEST(Devices, AreFreeForTheWaitingAsSoonAsTheyAreLetGo) {
  World world(
      config_of({target("a", {planned("latency", 1h)}), target("b", {planned("latency", 1h)})}));
  world.facts.devices = {{"a", {"259:0"}}, {"b", {"259:0"}}};
  world.run_for(1min);
  ASSERT_GE(world.started.size(), 2U);
  EXPECT_EQ(world.started[1].at, world.started[0].at + 2s);
  EXPECT_TRUE(world.skipped.empty());
}

TEST(Devices, UnknownOnesAreSharedWithNobody) {
  World world(
      config_of({target("a", {planned("latency", 1h)}), target("b", {planned("latency", 1h)})}));
  world.takes = {{"a", 10min}, {"b", 10min}};
  world.run_for(6s);
  EXPECT_EQ(world.running.size(), 2U);
}

TEST(Concurrency, BoundsCapacityProbesOfAllTargets) {
  auto config =
      config_of({target("a", {planned("randread", 1h)}), target("b", {planned("randread", 1h)}),
                 target("c", {planned("latency", 1h)}), target("d", {planned("seqread", 1h)})});
  config.max_concurrent_capacity = 2;
  World world(config);
  for (const Target& t : config.targets) world.takes[t.name] = 50min;
  world.run_for(6s);
  EXPECT_EQ(world.running.size(), 3U);
  EXPECT_TRUE(world.running.contains("c"));
}

TEST(Concurrency, BoundsLayoutsOfLatencyProbesToo) {
  World world(
      config_of({target("a", {planned("latency", 1h)}), target("b", {planned("latency", 1h)})}));
  world.facts.needs_layout = {"a", "b"};
  world.takes = {{"a", 1min}, {"b", 1min}};
  world.run_for(30s);
  EXPECT_EQ(world.running.size(), 1U);
}

TEST(Concurrency, SkipsASlotThatWaitedTooLong) {
  World world(config_of(
      {target("a", {planned("randread", 15min)}), target("b", {planned("randread", 1min)})}));
  world.run_for(1min);
  world.takes["a"] = 10min;
  world.run_for(30min);
  EXPECT_GE(world.skips_of(SkipReason::concurrency), 15U);
  EXPECT_EQ(world.skipped.back().target, "b");
}

TEST(Concurrency, LetsSixtyFourLatencyProbesRun) {
  std::vector<Target> targets;
  for (int i = 0; i < 100; ++i)
    targets.push_back(target("t" + std::to_string(i), {planned("latency", 1h)}));
  World world(config_of(targets));
  for (const Target& t : targets) world.takes[t.name] = 10min;
  world.run_for(6s);
  EXPECT_EQ(world.running.size(), 64U);
}

TEST(Stuck, IsSaidAtEachSlot) {
  World world(config_of({target("db", {planned("latency", 1min)}), usual("well")}));
  world.run_for(1min);
  const std::size_t before = world.starts_of("db", "latency").size();
  world.facts.stuck = {"db"};
  world.run_for(10min);
  EXPECT_EQ(world.skips_of(SkipReason::stuck), 10U);
  EXPECT_EQ(world.starts_of("db", "latency").size(), before);
  EXPECT_GE(world.starts_of("well", "latency").size(), 10U);
  world.facts.stuck.clear();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("db", "latency").size(), before + 1);
}

TEST(Stuck, HoldsTheDeviceOfARunThatNeverEnds) {
  World world(
      config_of({target("a", {planned("latency", 1h)}), target("b", {planned("latency", 1h)})}));
  world.facts.devices = {{"a", {"259:0"}}, {"b", {"259:0"}}};
  world.takes = {{"a", 1000h}, {"b", 1000h}};
  world.run_for(240h);
  EXPECT_EQ(world.started.size(), 1U);
  EXPECT_GE(world.skips_of(SkipReason::device_in_use), 239U);
}

TEST(Stuck, TakesNoPlaceFromTheCapacityProbesOfOthers) {
  World world(config_of(
      {target("dead", {planned("randread", 1h)}), target("b", {planned("randread", 1h)})}));
  world.takes = {{"dead", 1000h}};
  world.run_for(10s);
  ASSERT_TRUE(world.running.contains("dead"));
  world.facts.stuck = {"dead"};
  world.run_for(10h);
  EXPECT_GE(world.starts_of("b", "randread").size(), 9U);
}

TEST(Hold, SkipsEverySlotUntilItIsReleased) {
  World world(config_of({target("db", {planned("latency", 1min)}), usual("well")}));
  world.run_for(1min);
  const std::size_t before = world.starts_of("db", "latency").size();
  world.facts.held = {{"db", "failover"}};
  world.run_for(10min);
  EXPECT_EQ(world.skips_of(SkipReason::hold), 10U);
  EXPECT_EQ(world.skipped.back().detail, "failover");
  EXPECT_EQ(world.starts_of("db", "latency").size(), before);
  EXPECT_GE(world.starts_of("well", "latency").size(), 10U);
  world.facts.held.clear();
  world.run_for(1min);
  EXPECT_EQ(world.starts_of("db", "latency").size(), before + 1);
}

TEST(Hold, OnlyPutsAFirstTurnOff) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.facts.held = {{"db", "failover"}};
  world.run_for(1h);
  EXPECT_TRUE(world.started.empty());
  world.facts.held.clear();
  world.run_for(1s);
  EXPECT_EQ(world.started.size(), 1U);
}

TEST(Quiet, StopsEveryProbe) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(1min);
  const std::size_t before = world.started.size();
  world.facts.quiet = "windows.quiet 01:00-05:00";
  world.run_for(10min);
  EXPECT_EQ(world.started.size(), before);
  EXPECT_EQ(world.skips_of(SkipReason::quiet), 10U);
}

TEST(Quiet, OutsideTheWindowsForCapacityLeavesLatencyAlone) {
  World world(config_of({target("db", {planned("latency", 1min), planned("randread", 5min)})}));
  world.run_for(10min);
  const std::size_t capacity = world.starts_of("db", "randread").size();
  const std::size_t latency = world.starts_of("db", "latency").size();
  world.facts.no_capacity = "outside windows.capacity 01:00-05:00";
  world.run_for(10min);
  EXPECT_EQ(world.starts_of("db", "randread").size(), capacity);
  EXPECT_EQ(world.starts_of("db", "latency").size(), latency + 10);
  EXPECT_EQ(world.skips_of(SkipReason::quiet), 2U);
}

TEST(Quiet, MovesASlotBehindItsEnd) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.run_for(1min);
  const auto due = *world.scheduler.next_run({0, 0});
  world.run_until(due - 1s);
  const std::size_t before = world.started.size();
  world.facts.no_capacity = "outside windows.capacity 01:00-05:00";
  world.facts.capacity_opens = {3h, 4h};
  world.run_until(due);
  const auto moved = *world.scheduler.next_run({0, 0});
  EXPECT_GE(moved, due + 3h);
  EXPECT_LT(moved, due + 7h) << "within the window, whatever the slots are";
  world.facts.no_capacity.clear();
  world.facts.capacity_opens = {};
  world.run_until(moved);
  EXPECT_EQ(world.started.size(), before + 1);
  EXPECT_EQ(world.skips_of(SkipReason::quiet), 1U);
}

TEST(Quiet, SpreadsHostsBehindItsEnd) {
  std::set<SteadyTime> times;
  for (int host = 0; host < 50; ++host) {
    World world(config_of({target("db", {planned("latency", 10min)})}), std::to_string(host));
    world.run_for(1min);
    world.facts.quiet = "windows.quiet has 08:00-20:00";
    world.facts.quiet_ends = {12h, 12h};
    world.run_for(10min);
    times.insert(*world.scheduler.next_run({0, 0}));
  }
  EXPECT_GE(times.size(), 45U);
}

TEST(Hold, ARunThatItEndsComesAgainWithTheRelease) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.endings["db"] = Ending::interrupted;
  world.run_for(1h);
  world.facts.held = {{"db", "failover"}};
  world.endings.clear();
  world.run_for(10min);
  const std::size_t before = world.started.size();
  world.facts.held.clear();
  world.run_for(1s);
  EXPECT_EQ(world.started.size(), before + 1);
}

TEST(Budget, IsReservedBeforeAStart) {
  World world(config_of({target("db", {planned("randread", 1h)})}));
  world.run_for(5s);
  ASSERT_EQ(world.grants.size(), 1U);
  EXPECT_EQ(world.grants[0].reservation.amount,
            worst_case(world.config.targets[0], *find_preset("randread")));
  EXPECT_EQ(world.grants[0].layout_allowance, Usage{});
}

TEST(Budget, PaysForALayout) {
  World world(config_of({target("db", {planned("randread", 1h)})}));
  world.facts.needs_layout = {"db"};
  world.run_for(5s);
  ASSERT_EQ(world.grants.size(), 1U);
  const Target& db = world.config.targets[0];
  EXPECT_EQ(world.grants[0].layout_allowance.bytes, layout_usage(db).bytes);
  EXPECT_EQ(world.grants[0].reservation.amount,
            worst_case(db, *find_preset("randread")) + world.grants[0].layout_allowance);
}

TEST(Budget, GivesALayoutWhatIsLeftBesideTheProbe) {
  World world(config_of({target("db", {planned("latency", 1h)})}));
  world.config.targets[0].file.size.reset();  // 1 GiB at most
  world.reload(world.config);
  world.ledger.set_allowance("db", {1h, Bytes{300 * kMiB.value}, Ops{100'000}}, World::kStart);
  world.facts.needs_layout = {"db"};
  world.run_for(6s);
  ASSERT_EQ(world.grants.size(), 1U);
  EXPECT_LE(world.grants[0].reservation.amount.bytes, Bytes{300 * kMiB.value});
  EXPECT_LT(world.grants[0].layout_allowance.bytes, Bytes{300 * kMiB.value});
  EXPECT_GT(world.grants[0].layout_allowance.bytes, Bytes{298 * kMiB.value});
}

// The duty cycle can be what a layout is short of, as well as bytes.
TEST(Budget, GivesALayoutTheTimeThatIsLeft) {
  World world(config_of({target("db", {planned("latency", 1h)})}));
  world.config.targets[0].file.size.reset();
  world.reload(world.config);
  world.ledger.set_allowance("db", {1s, Bytes{300 * kGiB.value}, Ops{100'000}}, World::kStart);
  world.facts.needs_layout = {"db"};
  world.run_for(6s);
  ASSERT_EQ(world.grants.size(), 1U);
  EXPECT_NEAR(to_seconds(world.grants[0].layout_allowance.time), 1, 0.01);
  EXPECT_LT(world.grants[0].layout_allowance.bytes, Bytes{128 * kMiB.value});
}

// A file of four days' allowance: each run writes what has refilled, and no run is a crumb.
TEST(Budget, SpreadsALayoutOverDays) {
  World world(config_of({target("db", {planned("latency", 1h)})}));
  Target& db = world.config.targets[0];
  db.file.size = Bytes{4 * kGiB.value};
  world.reload(world.config);
  world.ledger.set_allowance("db", {1h, kGiB, Ops{1'000'000}}, World::kStart);
  world.facts.needs_layout = {"db"};
  world.endings["db"] = Ending::not_ready;
  world.run_for(72h);
  Bytes granted;
  for (const Start& start : world.grants) {
    granted += start.layout_allowance.bytes;
    EXPECT_GE(start.layout_allowance.bytes, Bytes{32 * kMiB.value});
  }
  EXPECT_GT(granted, Bytes{7 * kGiB.value / 2});
  EXPECT_LE(granted, Bytes{4 * kGiB.value});
}

TEST(Budget, SkipsWhatItCannotPayFor) {
  World world(config_of({target("db", {planned("randread", 1h)})}));
  world.ledger.set_allowance("db", {24h, kGiB, Ops{10}}, World::kStart);
  world.run_for(24h);
  EXPECT_TRUE(world.started.empty());
  EXPECT_GE(world.skips_of(SkipReason::budget), 24U);
  EXPECT_NE(world.skipped[0].detail.find("I/Os needed"), std::string::npos);
}

TEST(Budget, ThatCannotBeWrittenDownPaysForNothing) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.run_for(1min);
  const std::size_t before = world.started.size();
  world.facts.unpaid = "the disk is full";
  world.run_for(5min);
  EXPECT_EQ(world.started.size(), before);
  EXPECT_EQ(world.skips_of(SkipReason::budget), 5U);
  EXPECT_EQ(world.skipped.back().detail, "the disk is full");
}

TEST(PutOff, IsTriedAgainSoonWhileTheOthersOfTheTargetGoOn) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.endings["db"] = Ending::put_off;
  world.takes["db"] = 0s;
  world.run_for(10min);
  const auto tries = world.starts_of("db", "randread");
  ASSERT_GE(tries.size(), 39U);
  for (std::size_t i = 1; i < tries.size(); ++i) EXPECT_EQ(tries[i] - tries[i - 1], 15s) << i;
  EXPECT_GE(world.starts_of("db", "latency").size(), 10U);
  EXPECT_TRUE(world.skipped.empty());
}

TEST(PutOff, HasItsNextSlotWhenItIsGrantedInTheEnd) {
  World world(config_of({target("db", {planned("randread", 1h)})}));
  world.endings["db"] = Ending::put_off;
  world.run_for(30s);
  world.endings.clear();
  world.run_for(3h);
  const auto starts = world.starts_of("db", "randread");
  ASSERT_GE(starts.size(), 6U);
  EXPECT_EQ(starts[starts.size() - 1] - starts[starts.size() - 2], 1h);
}

TEST(NotReady, IsTriedAgainEverMoreSeldom) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(5h);
  const auto starts = world.starts_of("db", "randread");
  const std::vector<Duration> pauses{1min, 2min, 4min, 8min, 16min, 32min, 1h, 1h};
  ASSERT_GE(starts.size(), pauses.size() + 1);
  for (std::size_t i = 0; i < pauses.size(); ++i)
    EXPECT_EQ(starts[i + 1] - starts[i], pauses[i] + 2s) << i;
  EXPECT_TRUE(world.skipped.empty());
}

TEST(NotReady, IsTriedAgainAtLeastAtEachInterval) {
  World world(config_of({target("db", {planned("latency", 1min)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(1h);
  EXPECT_NEAR(static_cast<double>(world.started.size()), 58, 2);
}

TEST(NotReady, MakesTheOtherProbesWait) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(30min);
  EXPECT_TRUE(world.starts_of("db", "latency").empty());
  EXPECT_GE(world.skips_of(SkipReason::not_ready), 28U);
}

TEST(NotReady, EndsWithTheFirstGoodRun) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(4min);
  world.endings.clear();
  world.run_for(8min);
  EXPECT_GE(world.starts_of("db", "latency").size(), 3U);
  const std::size_t runs = world.starts_of("db", "randread").size();
  world.endings["db"] = Ending::not_ready;
  world.run_for(5min);  // the back-off starts from its beginning again
  EXPECT_GE(world.started.size(), runs + 3);
}

TEST(NotReady, SurvivesAReloadOfTheSame) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(10min);
  const auto due = world.scheduler.next_run({0, 0});
  world.reload(world.config);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), due);
}

TEST(NotReady, IsForgottenWhenTheTargetIsChanged) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(2h);
  auto changed = world.config;
  changed.targets[0].path = "/elsewhere";
  world.reload(changed);
  EXPECT_LE(*world.scheduler.next_run({0, 0}) - world.facts.now, 5s);
}

// A target whose first turns are over, with a randread each 16 minutes and a latency each minute.
class Busy : public testing::Test {
 protected:
  Busy()
      : world(config_of({target("db", {planned("randread", 16min), planned("latency", 1min)})})) {
    world.run_until(slot("db", "randread", 16min, World::kStart + 1min) - 1s);
    world.started.clear();
    world.facts.busy["db"] = "others do 2k I/Os per second, over 1.5k";
    slot_at = world.facts.now + 1s;
  }

  std::size_t starts(const std::string& probe) const { return world.starts_of("db", probe).size(); }

  World world;
  SteadyTime slot_at;
};

TEST_F(Busy, IsTriedAgainThriceWithinTheIntervalAndSkippedOnce) {
  world.run_until(slot_at);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), slot_at + 1min);
  world.run_until(slot_at + 1min);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), slot_at + 1min + 2min);
  world.run_until(slot_at + 3min);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), slot_at + 3min + 4min);
  EXPECT_EQ(world.skipped.size(), 0U);
  world.run_until(slot_at + 7min);
  ASSERT_EQ(world.skipped.size(), 1U);
  EXPECT_EQ(world.skipped[0].reason, SkipReason::busy);
  EXPECT_EQ(world.skipped[0].detail, "others do 2k I/Os per second, over 1.5k");
  EXPECT_EQ(world.scheduler.next_run({0, 0}), slot_at + 16min);
}

TEST_F(Busy, GivesEachSlotItsTries) {
  world.run_for(160min);
  EXPECT_EQ(world.skipped.size(), 10U);
  EXPECT_EQ(starts("randread"), 0U);
}

TEST_F(Busy, NeverKeepsALatencyProbe) {
  world.run_for(160min);
  EXPECT_EQ(starts("latency"), 160U);
}

TEST_F(Busy, KeepsALatencyProbeThatNeedsALayout) {
  world.facts.needs_layout.insert("db");
  world.run_for(3min);
  EXPECT_EQ(starts("latency"), 0U);
  EXPECT_GE(world.skips_of(SkipReason::busy), 2U);
}

TEST_F(Busy, StartsAtATryThatFindsItQuiet) {
  world.run_until(slot_at + 2min);
  world.facts.busy.clear();
  world.run_until(slot_at + 4min);
  EXPECT_EQ(world.starts_of("db", "randread"), std::vector{slot_at + 3min});
  world.run_until(slot_at + 17min);
  EXPECT_EQ(world.starts_of("db", "randread").back(), slot_at + 16min) << "the slots stay";
  EXPECT_EQ(world.skipped.size(), 0U);
}

TEST_F(Busy, SurvivesAReload) {
  world.run_until(slot_at + 90s);
  config::Config next = world.config;
  next.targets[0].busy.max_other_iops = 0.1;
  world.reload(next);
  world.run_until(slot_at + 7min);
  EXPECT_EQ(world.skips_of(SkipReason::busy), 1U);
}

TEST_F(Busy, IsWaitedForWhereItIsNotKnownYet) {
  world.facts.busy.clear();
  world.facts.undecided.insert("db");
  world.run_until(slot_at + 1s);
  EXPECT_EQ(starts("randread"), 0U);
  world.facts.undecided.clear();
  world.run_until(slot_at + 2s);
  EXPECT_EQ(starts("randread"), 1U);
  EXPECT_EQ(world.skipped.size(), 0U);
}

TEST(FirstTurns, OfTheOthersDoNotWaitForABusyDevice) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.facts.busy["db"] = "others";
  world.run_for(10s);
  EXPECT_FALSE(world.starts_of("db", "latency").empty());
}

// A capacity probe found the target not ready; it must not keep the latency probe from finding out
// that it is again.
TEST(NotReady, IsNotProlongedByABusyDevice) {
  World world(config_of({target("db", {planned("randread", 6h), planned("latency", 1min)})}));
  world.endings["db"] = Ending::not_ready;
  world.run_for(10s);
  world.endings.clear();
  world.facts.busy["db"] = "others";
  world.run_for(5min);
  EXPECT_GE(world.starts_of("db", "latency").size(), 3U);
}

TEST(Reload, KeepsTheSlotsOfWhatStays) {
  World world(config_of({usual("a"), usual("b"), usual("c")}));
  world.run_for(5min);
  const auto due = world.scheduler.next_run(world.id_of("c", "seqread"));
  auto next = world.config;
  next.targets.erase(next.targets.begin());    // a is gone
  next.targets[1].volume.promise.iops = 3000;  // c is changed
  next.targets[1].probes.insert(next.targets[1].probes.begin(), planned("randwrite", 1h));
  world.reload(next);
  EXPECT_EQ(world.scheduler.next_run(world.id_of("c", "seqread")), due);
  EXPECT_LE(*world.scheduler.next_run(world.id_of("c", "randwrite")) - world.facts.now, 5s);
}

TEST(Reload, MovesTheSlotsOfAChangedInterval) {
  World world(config_of({target("db", {planned("randread", 6h)})}));
  world.run_for(1min);
  auto next = world.config;
  next.targets[0].probes[0].every = 1h;
  world.reload(next);
  EXPECT_EQ(world.scheduler.next_run({0, 0}), slot("db", "randread", 1h, world.facts.now));
}

TEST(Reload, StartsNewTargetsSoon) {
  World world(config_of({usual("a")}));
  world.run_for(5min);
  world.reload(config_of({usual("new"), usual("a")}));
  world.run_for(5s);
  EXPECT_EQ(world.starts_of("new", "latency").size(), 1U);
}

TEST(Reload, HoldsRunningProbesUnderTheirNewIds) {
  World world(
      config_of({target("a", {planned("latency", 6h)}), target("b", {planned("latency", 1min)})}));
  world.facts.devices = {{"b", {"259:0"}}, {"new", {"259:0"}}};
  world.takes["b"] = 1h;
  world.run_for(5s);
  ASSERT_TRUE(world.running.contains("b"));
  world.reload(config_of(
      {target("b", {planned("latency", 1min)}), target("new", {planned("latency", 1min)})}));
  world.run_for(10min);
  EXPECT_EQ(world.starts_of("b", "latency").size(), 1U);
  EXPECT_TRUE(world.starts_of("new", "latency").empty());
  world.run_for(55min);  // b ends, under its new id, and the device is free
  EXPECT_FALSE(world.starts_of("new", "latency").empty());
}

TEST(Reload, LetsGoOfWhatRemovedTargetsHeld) {
  World world(config_of({target("old", {planned("latency", 1min)})}));
  world.facts.devices = {{"old", {"259:0"}}, {"new", {"259:0"}}};
  world.takes["old"] = 1000h;
  world.run_for(10s);
  world.reload(config_of({target("new", {planned("latency", 1min)})}));
  world.running.clear();
  world.run_for(10s);
  EXPECT_EQ(world.starts_of("new", "latency").size(), 1U);
}

TEST(OnFinished, IgnoresAnIdThatIsNotThere) {
  World world(config_of({}));
  world.scheduler.on_finished({3, 4}, Ending::not_ready, World::kStart);
  EXPECT_FALSE(world.scheduler.next_run({3, 4}));
}

TEST(Every, OfNothingIsNoEndlessLoop) {
  World world(config_of({target("db", {planned("latency", 0s)})}));
  world.run_for(1min);
  EXPECT_LE(world.started.size(), 31U);
}

TEST(SkipReason, HasOneWordEach) {
  EXPECT_EQ(to_text(SkipReason::budget), "budget");
  EXPECT_EQ(to_text(SkipReason::busy), "busy");
  EXPECT_EQ(to_text(SkipReason::hold), "hold");
  EXPECT_EQ(to_text(SkipReason::quiet), "quiet");
  EXPECT_EQ(to_text(SkipReason::concurrency), "concurrency");
  EXPECT_EQ(to_text(SkipReason::device_in_use), "device_in_use");
  EXPECT_EQ(to_text(SkipReason::stuck), "stuck");
  EXPECT_EQ(to_text(SkipReason::not_ready), "not_ready");
}

// A week of 8 targets on 6 devices: two pairs share one.
class Week : public testing::Test {
 protected:
  Week() : world(config_of(targets())) {
    for (int i = 0; i < 8; ++i) {
      const std::string name = "t" + std::to_string(i);
      world.facts.devices[name] = {"259:" + std::to_string(i % 6)};
      world.takes[name] = i % 2 == 0 ? 10s : 3s;
    }
  }
  static std::vector<Target> targets() {
    std::vector<Target> targets;
    for (int i = 0; i < 8; ++i) targets.push_back(usual("t" + std::to_string(i)));
    return targets;
  }
  World world;
};

TEST_F(Week, HasNeverTwoProbesOnOneDeviceAndGivesEachItsTurn) {
  world.run_for(7 * 24h);
  std::map<std::string, SteadyTime> busy_until;  // by device
  std::map<std::pair<std::string, std::string>, std::size_t> turns;
  for (const auto& start : world.started) {
    SteadyTime& until = busy_until[world.facts.devices[start.target][0]];
    ASSERT_LE(until, start.at);
    until = start.at + world.takes[start.target];
    ++turns[{start.target, start.probe}];
  }
  ASSERT_EQ(turns.size(), 8U * 3);
  for (const auto& [probe, count] : turns) {
    const double slots = probe.second == "latency"    ? 7 * 1440
                         : probe.second == "randread" ? 672
                                                      : 168;
    EXPECT_GE(static_cast<double>(count), 0.9 * slots) << probe.first << ' ' << probe.second;
    EXPECT_LE(static_cast<double>(count), slots + 2);
  }
}

TEST_F(Week, DoesNotMoveAnySlot) {
  std::map<std::string, Duration> every{{"latency", 1min}, {"randread", 15min}, {"seqread", 1h}};
  world.run_for(7 * 24h);
  for (const auto& target : world.config.targets) {
    for (const auto& probe : target.probes) {
      const auto starts = world.starts_of(target.name, probe.spec.name);
      for (std::size_t i = 1; i < starts.size(); ++i) {
        const SteadyTime due =
            slot(target.name, probe.spec.name, probe.every, starts[i]) - probe.every;
        ASSERT_LE(starts[i] - due, patience(probe.every));
      }
    }
  }
}

}  // namespace
}  // namespace storage_probe::schedule
