// SPDX-License-Identifier: Apache-2.0
#include "worker/doubts.h"

#include <gtest/gtest.h>

namespace storage_probe::worker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Witness = RunFacts::Witness;

// A sound run: 6,000 reads of 4 KiB in 2 s, all of 4 in flight, and as many at the device.
class Doubts : public testing::Test {
 protected:
  Doubts() {
    spec_.queue_depth = 4;
    measured_.duration = seconds{2};
    measured_.elapsed = milliseconds{2300};
    measured_.cpu_busiest = milliseconds{200};
    set_ios(6000, microseconds{1333});
    set_profile(0.01, true);
    facts_.witness = Witness::device;
    facts_.ours = facts_.counted = {seconds{2}, Bytes{6000 * 4096}, Ops{6000}};
  }
  void set_ios(std::uint64_t ios, Duration latency) {
    OperationStats& reads = measured_.operations[Operation::read];
    reads = {ios, spec_.block_size, {}};
    reads.latency.record(latency, ios);
  }
  void set_profile(double mean_error, bool is_steady) {
    measured_.profile =
        RateProfile{milliseconds{250}, std::vector<double>(7, 100), mean_error, is_steady, {}};
  }
  std::vector<Doubt> doubts() const { return find_doubts(spec_, measured_, facts_, background_); }
  bool only(Doubt doubt) const { return doubts() == std::vector{doubt}; }

  ProbeSpec spec_ = *find_preset("randread");
  Measurement measured_;
  RunFacts facts_;
  Background background_;
};

TEST_F(Doubts, AreNoneAboutASoundRun) {
  EXPECT_TRUE(doubts().empty());
  facts_.witness = Witness::none;
  EXPECT_TRUE(doubts().empty()) << "nothing counts: nothing speaks against it";
}

TEST_F(Doubts, AreNoneAboutALatencyProbe) {
  spec_ = *find_preset("latency");
  facts_.counted = {};
  EXPECT_TRUE(doubts().empty());
}

TEST_F(Doubts, OfAControlGroupWhoseLimitIsBelowThePromise) {
  background_.promise.iops = 4000;
  facts_.cgroup.read_iops = 3000;
  EXPECT_TRUE(only(Doubt::cgroup_limited));
  facts_.cgroup.read_iops = 5000;
  EXPECT_TRUE(doubts().empty()) << "it allows what is promised";
  facts_.cgroup = {};
  facts_.cgroup.write_iops = 3000;
  EXPECT_TRUE(doubts().empty()) << "nothing was written";
  facts_.cgroup.read_iops = 3000;
  background_.promise = {};
  EXPECT_TRUE(doubts().empty()) << "nothing is promised";
}

TEST_F(Doubts, AreNoneAboutALimitThatDidNotBind) {
  background_.promise.iops = 2900;
  facts_.cgroup.read_iops = 100;
  EXPECT_TRUE(doubts().empty()) << "the run reached the promise";
}

TEST_F(Doubts, OfABytesLimitToo) {
  background_.promise.throughput = 125e6;
  facts_.cgroup.read_throughput = 12e6;
  EXPECT_TRUE(only(Doubt::cgroup_limited));
}

TEST_F(Doubts, OfFreshBlocksExplainThatThereAreFew) {
  set_ios(50, milliseconds{160});
  facts_.ours = facts_.counted = {seconds{2}, Bytes{50 * 4096}, Ops{50}};
  measured_.profile->mean_error = 0.5;
  EXPECT_TRUE(only(Doubt::too_few_samples));
  background_.has_met_fresh_blocks = true;
  EXPECT_TRUE(only(Doubt::init_suspect));
}

TEST_F(Doubts, OfAProcessorThatWasWaitedFor) {
  facts_.waited = 0.09;
  EXPECT_TRUE(doubts().empty());
  facts_.waited = 0.2;
  EXPECT_TRUE(only(Doubt::cpu_limited));
}

TEST_F(Doubts, ComeByWeight) {
  measured_.clock_suspect = true;
  facts_.counted = {};
  facts_.stolen = 0.5;
  set_ios(999, microseconds{1});
  set_profile(0.5, false);
  EXPECT_EQ(doubts(),
            (std::vector{Doubt::clock_suspect, Doubt::cache_suspect, Doubt::too_few_samples,
                         Doubt::cpu_limited, Doubt::queue_depth_limited, Doubt::unsteady}));
}

TEST_F(Doubts, ARunThatGaveWayToOthersIsContendedAndNotTooShort) {
  measured_.stopped_by = StopReason::busy;
  EXPECT_TRUE(only(Doubt::contended));
  set_ios(10, microseconds{1333});
  measured_.profile.reset();
  EXPECT_EQ(doubts().front(), Doubt::contended);
}

TEST_F(Doubts, AClockThatSteppedIsNoMeasure) {
  measured_.clock_suspect = true;
  EXPECT_TRUE(only(Doubt::clock_suspect));
}

TEST_F(Doubts, AbsurdDurationsAreTheClocks) {
  set_ios(6000, seconds{-1});
  EXPECT_EQ(doubts().front(), Doubt::clock_suspect) << "counts as 0, which nothing takes";
  set_ios(6000, std::chrono::hours{1});
  EXPECT_EQ(doubts().front(), Doubt::clock_suspect) << "longer than the run";
  set_ios(6000, microseconds{1333});
  for (const Duration duration : {Duration{}, Duration{seconds{-2}}, Duration{seconds{3}}}) {
    measured_.duration = duration;
    EXPECT_EQ(doubts().front(), Doubt::clock_suspect) << duration.count();
  }
}

// openzfs/zfs#10018, QubesOS/qubes-issues#9488: the cache answers and the counters stand still.
TEST_F(Doubts, CountersThatStandStillAreACache) {
  facts_.counted = {};
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, OneInTwentyMayBeMissingAtTheDevice) {
  facts_.counted.ops = Ops{5700};
  facts_.counted.bytes = Bytes{5700 * 4096};
  EXPECT_TRUE(doubts().empty());
  facts_.counted.ops = Ops{5699};
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, MoreAtTheDeviceIsOthersIo) {
  facts_.counted = {seconds{2}, Bytes{1ULL << 40}, Ops{60'000}};
  EXPECT_TRUE(doubts().empty());
}

TEST_F(Doubts, RandomIosThatWereMergedWereNotDoneOneByOne) {
  facts_.counted.ops = Ops{3000};  // with all their bytes
  EXPECT_TRUE(only(Doubt::cache_suspect));
  spec_.pattern = Pattern::sequential;
  EXPECT_TRUE(doubts().empty()) << "which is about bytes";
}

TEST_F(Doubts, CompressedDataAreFewerBytes) {
  facts_.counted.bytes = Bytes{6000 * 1024};
  EXPECT_TRUE(only(Doubt::cache_suspect));
  spec_.pattern = Pattern::sequential;
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, AnNfsServerIsJudgedByBytes) {
  facts_.witness = Witness::server;
  facts_.counted.ops = Ops{};  // parallel servers count their own
  EXPECT_TRUE(doubts().empty());
  facts_.counted.bytes = Bytes{};
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, ADeviceThatCannotBeAskedAfterwardsProvesNothing) {
  facts_.witness = Witness::lost;
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, WhereNoDeviceCountsHolesAndKnownCachesDo) {
  background_.has_holes = true;
  EXPECT_TRUE(doubts().empty()) << "the device counted all of it";
  facts_.witness = Witness::server;
  EXPECT_TRUE(only(Doubt::cache_suspect));
  facts_.witness = Witness::none;
  EXPECT_TRUE(only(Doubt::cache_suspect));
  background_.has_holes = false;
  background_.caches_direct_io = true;
  EXPECT_TRUE(only(Doubt::cache_suspect));
}

TEST_F(Doubts, AThousandIosAreEnough) {
  set_ios(1000, milliseconds{8});
  EXPECT_TRUE(doubts().empty());
  set_ios(999, milliseconds{9});
  set_profile(0.06, true);
  EXPECT_TRUE(only(Doubt::too_few_samples));
}

TEST_F(Doubts, ARunTooShortForWindowsProvesNothing) {
  measured_.profile.reset();
  EXPECT_TRUE(only(Doubt::too_few_samples));
  spec_.pattern = Pattern::sequential;
  EXPECT_TRUE(only(Doubt::too_few_samples));
}

// Most of its latency lies outside the window.
TEST_F(Doubts, ASlowVolumeIsNotSaidToHaveAnEmptyQueue) {
  spec_.queue_depth = 32;
  set_ios(4 * 32 - 1, milliseconds{1});
  EXPECT_TRUE(doubts().empty());
  set_ios(4 * 32, milliseconds{1});
  EXPECT_TRUE(only(Doubt::queue_depth_limited));
}

TEST_F(Doubts, FewerAreEnoughWhenTheWindowsAgree) {
  set_ios(200, milliseconds{40});
  set_profile(0.05, true);
  EXPECT_TRUE(doubts().empty());
  set_profile(0.06, true);
  EXPECT_TRUE(only(Doubt::too_few_samples));
  set_profile(0.01, true);
  measured_.profile->rates.resize(4);
  EXPECT_TRUE(only(Doubt::too_few_samples));
}

TEST_F(Doubts, ThirtyLargeIosInARowAreEnough) {
  spec_.pattern = Pattern::sequential;
  set_ios(30, milliseconds{250});
  EXPECT_TRUE(doubts().empty());
  set_ios(29, milliseconds{260});
  EXPECT_TRUE(only(Doubt::too_few_samples));
}

TEST_F(Doubts, ABusyThreadIsTheLimit) {
  measured_.cpu_busiest = milliseconds{1700};
  EXPECT_TRUE(doubts().empty());
  measured_.cpu_busiest = milliseconds{1701};
  EXPECT_TRUE(only(Doubt::cpu_limited));
}

// rancher/rke2#168: stolen processor time looked like a slow disk.
TEST_F(Doubts, StolenTimeIsTheLimit) {
  facts_.stolen = 0.05;
  EXPECT_TRUE(doubts().empty());
  facts_.stolen = 0.051;
  EXPECT_TRUE(only(Doubt::cpu_limited));
}

TEST_F(Doubts, AQueueThatIsNotFullIsTheLimit) {
  set_ios(6000, microseconds{950});
  EXPECT_NEAR(depth_in_use(spec_, measured_), 2.85, 0.03);
  EXPECT_TRUE(doubts().empty());
  set_ios(6000, microseconds{900});
  EXPECT_TRUE(only(Doubt::queue_depth_limited));
}

TEST_F(Doubts, AnFsyncHasItsPlaceInTheQueueOnlyWithACadence) {
  set_ios(6000, microseconds{100});
  measured_.operations[Operation::fsync].latency.record(milliseconds{1}, 7600);
  EXPECT_TRUE(only(Doubt::queue_depth_limited));
  spec_.fsync_every = 1;
  EXPECT_TRUE(doubts().empty());
}

TEST_F(Doubts, ADepthThatCannotMakeThePromiseOnAnIdleVolumeIsTheLimit) {
  background_.promise.iops = 4000;  // 3,000 were achieved
  EXPECT_TRUE(doubts().empty()) << "without an idle latency";
  background_.idle_latency = microseconds{900};  // 4 / 0.9 ms = 4,444 >= 1.1 x 4,000
  EXPECT_TRUE(doubts().empty());
  background_.idle_latency = microseconds{950};
  EXPECT_TRUE(only(Doubt::queue_depth_limited));
  background_.promise.read_iops = 3000;
  EXPECT_TRUE(doubts().empty()) << "it did";
  background_.idle_latency = seconds{-1};
  EXPECT_TRUE(doubts().empty());
}

TEST_F(Doubts, ARateThatMovedIsUnsteady) {
  set_profile(0.01, true);
  EXPECT_TRUE(doubts().empty());
  set_profile(0.01, false);
  EXPECT_TRUE(only(Doubt::unsteady));
}

TEST_F(Doubts, OfARunWithoutASingleIoAreNoCrash) {
  measured_ = {};
  facts_ = {};
  EXPECT_EQ(doubts(), (std::vector{Doubt::too_few_samples}));
  EXPECT_EQ(rate_of(measured_), 0);
}

}  // namespace
}  // namespace storage_probe::worker
