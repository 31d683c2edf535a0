// SPDX-License-Identifier: Apache-2.0
#include "budget/lease.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/hash.h"

namespace storage_probe::budget {
namespace {

using namespace std::chrono_literals;

const Usage kAllowance{864s, Bytes{1'000'000}, Ops{1000}};

Usage ops(std::uint64_t n) { return {{}, {}, Ops{n}}; }

// A host that has been up for `up`.
LeaseHost host(const std::string& id, Duration up, std::uint64_t boot = 1) {
  return {id, boot + stable_hash(id), up};
}

void check_in(Lease& lease, const LeaseHost& who) {
  const auto done = lease.check_in(who);
  ASSERT_TRUE(done) << done.error().message;
}

Lease reread(const Lease& lease) {
  auto decoded = Lease::decode(lease.encode());
  EXPECT_TRUE(std::holds_alternative<Lease>(decoded));
  return std::get<Lease>(decoded);
}

LeaseFault fault_of(std::string_view bytes) {
  const auto decoded = Lease::decode(bytes);
  EXPECT_TRUE(std::holds_alternative<LeaseFault>(decoded)) << bytes;
  return std::holds_alternative<LeaseFault>(decoded) ? std::get<LeaseFault>(decoded)
                                                     : LeaseFault{-1};
}

// Two hosts, one of which waits, and something spent.
Lease a_busy_lease() {
  Lease lease;
  check_in(lease, host("a", 100s));
  check_in(lease, host("b", 5000h));
  check_in(lease, host("a", 130s));
  EXPECT_TRUE(lease.reserve({2s, Bytes{5000}, Ops{70}}, kAllowance));
  lease.begin_turn("a");
  lease.ask("b", 10s);
  return lease;
}

TEST(Lease, AnEmptyFileIsALeaseThatNobodyHasUsed) {
  const auto decoded = Lease::decode("");
  ASSERT_TRUE(std::holds_alternative<Lease>(decoded));
  EXPECT_EQ(std::get<Lease>(decoded).hosts_seen(), 0U);
  EXPECT_EQ(std::get<Lease>(decoded).spent(kAllowance), Usage{});
}

TEST(Lease, ComesBackFromItsBytesAsItWas) {
  const Lease lease = a_busy_lease();
  Lease again = reread(lease);
  EXPECT_EQ(again.encode(), lease.encode());
  EXPECT_EQ(again.spent(kAllowance), (Usage{2s, Bytes{5000}, Ops{70}}));
  EXPECT_EQ(again.hosts_seen(), 2U);
  EXPECT_EQ(again.ask("a", 1s), "b");
}

TEST(Lease, IsReadThoughALongerOneWasThereBefore) {
  const std::string bytes = a_busy_lease().encode();
  const auto decoded = Lease::decode(bytes + "host c 1 1 1 1 1 1\nrubbish");
  ASSERT_TRUE(std::holds_alternative<Lease>(decoded));
  EXPECT_EQ(std::get<Lease>(decoded).encode(), bytes);
}

TEST(Lease, IsDamagedWhereverItIsCutShort) {
  const std::string bytes = a_busy_lease().encode();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_EQ(fault_of(bytes.substr(0, size)), LeaseFault::damaged) << size;
  }
}

TEST(Lease, IsNeverReadWithAnyByteChanged) {
  const std::string bytes = a_busy_lease().encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char other : {'\0', '0', '9', ' ', '\n', '\xff'}) {
      std::string changed = bytes;
      if (std::exchange(changed[at], other) == other) continue;
      EXPECT_FALSE(std::holds_alternative<Lease>(Lease::decode(changed))) << at << ' ' << other;
    }
  }
}

TEST(Lease, IsDamagedWhenAPartIsOfAnotherWrite) {
  const std::string before = a_busy_lease().encode();
  Lease lease = a_busy_lease();
  check_in(lease, host("a", 999s));
  const std::string after = lease.encode();
  for (std::size_t cut = 30; cut < std::min(before.size(), after.size()); cut += 7) {
    const std::string torn = after.substr(0, cut) + before.substr(cut);
    if (torn == after || torn == before) continue;
    EXPECT_EQ(fault_of(torn), LeaseFault::damaged) << cut;
  }
}

TEST(Lease, IsDamagedWhenACrashHasLeftZeros) {
  EXPECT_EQ(fault_of(std::string(4096, '\0')), LeaseFault::damaged);
}

TEST(Lease, SomebodyElsesFileIsForeign) {
  EXPECT_EQ(fault_of("port: 5432\n"), LeaseFault::foreign);
  EXPECT_EQ(fault_of(std::string(3 << 20, 'x')), LeaseFault::foreign);
  EXPECT_EQ(fault_of("storage-probe-leash 1 0 0\n"), LeaseFault::foreign);
}

TEST(Lease, ANewerVersionIsSaidToBeOneWhateverElseItHolds) {
  EXPECT_EQ(fault_of("storage-probe-lease 2 {\"hosts\": []}\n"), LeaseFault::newer_version);
  EXPECT_EQ(fault_of("storage-probe-lease 10\n"), LeaseFault::newer_version);
}

TEST(Lease, FiguresOutOfRangeAndUnknownLinesAreDamageEvenWithARightChecksum) {
  for (const std::string body :
       {"now 99999999999999999999\n", "now 2305843009213693952\n", "now -1\n", "now 1 2\n", "now\n",
        "later 1\n", "now 1", "host a 1 1 1 1 1\n", "host  1 1 1 1 1 1\n", "\n",
        "spent 0 0 0 0 0 0\n", "host a 11111111111111111 1 1 1 1 1\n"}) {
    char header[80];
    std::snprintf(header, sizeof header, "storage-probe-lease 1 %zu %016llx\n", body.size(),
                  static_cast<unsigned long long>(stable_hash(body)));
    EXPECT_EQ(fault_of(header + body), LeaseFault::damaged) << body;
  }
}

TEST(Lease, HoldsALargeFleetAndForgetsOfALargerOneWhoWasSeenLongestAgo) {
  Lease lease;
  for (int i = 0; i < 4200; ++i) {
    if (i % 100 == 0) check_in(lease, host("ruler", i * 1s));
    check_in(lease, host("host" + std::to_string(i), 1s));
  }
  EXPECT_LE(lease.encode().size(), kMaxLease.value);
  EXPECT_FALSE(reread(lease).is_known("host0"));
  EXPECT_TRUE(reread(lease).is_known("host4199"));
  EXPECT_TRUE(reread(lease).is_known("ruler"));
}

TEST(Lease, RefusesAHostWithoutAnId) {
  Lease lease;
  EXPECT_FALSE(lease.check_in({"", 1, 1s}));
  EXPECT_FALSE(lease.check_in({std::string(99, 'a'), 1, 1s}));
}

TEST(LeaseTime, GoesOnWithTheClocksOfTheHosts) {
  Lease lease;
  check_in(lease, host("a", 10s));
  ASSERT_TRUE(lease.reserve(ops(1000), kAllowance));
  check_in(lease, host("b", 9000h));  // a host more moves nothing, whatever its clock shows
  EXPECT_EQ(lease.spent(kAllowance), ops(1000));
  check_in(lease, host("b", 9012h));
  EXPECT_EQ(lease.spent(kAllowance), ops(500));
  check_in(lease, host("a", 10s + 12h));  // the same hours
  EXPECT_EQ(lease.spent(kAllowance), ops(500));
  check_in(lease, host("a", 10s + 18h));
  EXPECT_EQ(lease.spent(kAllowance), ops(250));
}

TEST(LeaseTime, ARebootRefillsNothing) {
  Lease lease;
  check_in(lease, host("a", 10h, 1));
  ASSERT_TRUE(lease.reserve(ops(1000), kAllowance));
  check_in(lease, host("a", 900h, 2));
  EXPECT_EQ(lease.spent(kAllowance), ops(1000));
  check_in(lease, host("a", 906h, 2));
  EXPECT_EQ(lease.spent(kAllowance), ops(750));
}

TEST(LeaseTime, AClockThatWentBackRefillsNothing) {
  Lease lease;
  check_in(lease, host("a", 10h));
  ASSERT_TRUE(lease.reserve(ops(1000), kAllowance));
  check_in(lease, host("a", 1h));
  EXPECT_EQ(lease.spent(kAllowance), ops(1000));
  check_in(lease, host("a", 7h));
  EXPECT_EQ(lease.spent(kAllowance), ops(750));
}

TEST(LeaseTime, TwoMachinesWithOneHostIdAreFoundOut) {
  Lease lease;
  check_in(lease, host("a", 10s, 1));
  check_in(lease, host("a", 20s, 2));  // may be a reboot
  const auto refused = lease.check_in(host("a", 40s, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::denied);
  EXPECT_NE(refused.error().message.find("--host.id"), std::string::npos);
  check_in(lease, host("a", 50s, 2));  // the other one goes on
}

TEST(LeaseHosts, AreSeenForAnHourAndKnownForAWeek) {
  Lease lease;
  check_in(lease, host("gone", 1s));
  check_in(lease, host("here", 1s));
  check_in(lease, host("here", 1s + 1h));
  EXPECT_EQ(lease.hosts_seen(), 2U);
  check_in(lease, host("here", 2s + 1h));
  EXPECT_EQ(lease.hosts_seen(), 1U);
  check_in(lease, host("here", 1s + 7 * 24h));
  EXPECT_TRUE(lease.is_known("gone"));
  check_in(lease, host("here", 2s + 7 * 24h));
  EXPECT_FALSE(lease.is_known("gone"));
  EXPECT_TRUE(lease.is_known("here"));
}

TEST(LeaseTurns, TheOnlyHostGoesFirst) {
  Lease lease;
  check_in(lease, host("a", 1s));
  EXPECT_EQ(lease.ask("a", 1s), std::nullopt);
  EXPECT_EQ(lease.ask("nobody", 1s), std::nullopt);
}

TEST(LeaseTurns, OfThoseThatWaitTheOneWhoseTurnIsLongestAgoGoesFirst) {
  Lease lease;
  for (const char* id : {"a", "b", "c"}) check_in(lease, host(id, 1s));
  lease.begin_turn("a");
  check_in(lease, host("a", 2s));
  lease.begin_turn("b");
  check_in(lease, host("a", 3s));
  lease.begin_turn("c");
  EXPECT_EQ(lease.ask("c", 10s), std::nullopt);  // nobody else waits
  EXPECT_EQ(lease.ask("b", 10s), std::nullopt);
  EXPECT_EQ(lease.ask("c", 10s), "b");
  EXPECT_EQ(lease.ask("a", 10s), std::nullopt);
  lease.begin_turn("a");
  EXPECT_EQ(lease.ask("a", 10s), "b");
}

TEST(LeaseTurns, ANewHostDoesNotGoBeforeThoseThatWaitAlready) {
  Lease lease;
  check_in(lease, host("a", 1s));
  check_in(lease, host("a", 2s));
  lease.ask("a", 10s);
  check_in(lease, host("0", 1s));
  EXPECT_EQ(lease.ask("0", 10s), "a");
}

TEST(LeaseTurns, ANewHostGoesBeforeTheOneThatHasHadATurnMeanwhile) {
  Lease lease;
  check_in(lease, host("a", 1s));
  lease.begin_turn("a");
  check_in(lease, host("b", 1s));
  lease.ask("b", 10s);
  EXPECT_EQ(lease.ask("a", 10s), "b");
}

TEST(LeaseTurns, AHostThatDoesNotComeBackIsNotWaitedForForLong) {
  Lease lease;
  for (const char* id : {"a", "b"}) check_in(lease, host(id, 1s));
  lease.ask("a", 10s);
  EXPECT_EQ(lease.ask("b", 10s), "a");
  check_in(lease, host("b", 11s));
  EXPECT_EQ(lease.ask("b", 10s), std::nullopt);
  lease.ask("a", 1000h);
  check_in(lease, host("b", 72s));
  EXPECT_EQ(lease.ask("b", 10s), std::nullopt);
}

TEST(LeaseTurns, AHostThatWithdrawsIsNotWaitedFor) {
  Lease lease;
  for (const char* id : {"a", "b"}) check_in(lease, host(id, 1s));
  lease.ask("a", 10s);
  lease.withdraw("a");
  EXPECT_EQ(lease.ask("b", 10s), std::nullopt);
}

// Twenty hosts that always want a turn, and ask in an order of chance.
TEST(LeaseTurns, ComeRoundEvenly) {
  Lease lease;
  std::map<std::string, int> turns;
  Random chance(7);
  for (int step = 0; step < 2'000; ++step) {
    const std::string id = "host" + std::to_string(chance.below(20));
    check_in(lease, host(id, step * 10ms));
    if (lease.ask(id, 5s)) continue;
    lease.begin_turn(id);
    ++turns[id];
    lease = reread(lease);
  }
  ASSERT_EQ(turns.size(), 20U);
  const auto [least, most] = std::minmax_element(
      turns.begin(), turns.end(), [](auto& a, auto& b) { return a.second < b.second; });
  const int fair = std::accumulate(turns.begin(), turns.end(), 0,
                                   [](int sum, const auto& each) { return sum + each.second; }) /
                   20;
  EXPECT_GE(fair, 40);
  EXPECT_GE(least->second, fair / 2);
  EXPECT_LE(most->second, fair * 2);
}

TEST(LeaseBudget, BoundsAllHostsTogether) {
  Lease lease;
  check_in(lease, host("a", 1s));
  check_in(lease, host("b", 1s));
  EXPECT_TRUE(lease.reserve(ops(600), kAllowance));
  const auto refused = lease.reserve(ops(401), kAllowance);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::exhausted);
  EXPECT_EQ(refused.error().message,
            "the hosts that share the mount have 400 I/Os of 1k I/Os a day left, the run may take "
            "401 I/Os");
  EXPECT_TRUE(lease.reserve(ops(400), kAllowance));
}

TEST(LeaseBudget, BoundsTimeAndBytesToo) {
  Lease lease;
  EXPECT_FALSE(lease.reserve({865s, {}, {}}, kAllowance));
  EXPECT_FALSE(lease.reserve({{}, Bytes{1'000'001}, {}}, kAllowance));
  EXPECT_TRUE(lease.reserve({864s, Bytes{1'000'000}, Ops{1000}}, kAllowance));
  EXPECT_FALSE(lease.reserve({1s, {}, {}}, kAllowance));
}

TEST(LeaseBudget, DoesNotLimitTimeWithoutAnAllowance) {
  Lease lease;
  const Usage unlimited{{}, Bytes{1}, Ops{1}};
  EXPECT_TRUE(lease.reserve({1000h, {}, {}}, unlimited));
  lease.settle({1000h, {}, {}}, {1000h, {}, {}}, unlimited);
  EXPECT_TRUE(lease.reserve({1000h, {}, {}}, unlimited));
}

TEST(LeaseBudget, GivesBackWhatWasNotUsed) {
  Lease lease;
  ASSERT_TRUE(lease.reserve(ops(900), kAllowance));
  lease.settle(ops(900), ops(100), kAllowance);
  EXPECT_EQ(lease.spent(kAllowance), ops(100));
  lease.settle(ops(0), ops(5000), kAllowance);  // more than was reserved counts all the same
  EXPECT_EQ(lease.spent(kAllowance), ops(5100));
}

TEST(LeaseBudget, WhoeverDiesHasSpentWhatWasReserved) {
  Lease lease;
  ASSERT_TRUE(lease.reserve(ops(900), kAllowance));
  lease = reread(lease);
  EXPECT_FALSE(lease.reserve(ops(101), kAllowance));
}

TEST(LeaseBudget, RefillsOverADay) {
  Lease lease;
  check_in(lease, host("a", 0s));
  ASSERT_TRUE(lease.reserve(kAllowance, kAllowance));
  check_in(lease, host("a", 24h - 1s));
  EXPECT_NE(lease.spent(kAllowance), Usage{});
  check_in(lease, host("a", 24h));
  EXPECT_EQ(lease.spent(kAllowance), Usage{});
}

TEST(LeaseBudget, RefusingDoesNotSlowTheRefill) {
  Lease lease;
  const Usage small{864s, Bytes{1000}, Ops{10}};
  check_in(lease, host("a", 0s));
  ASSERT_TRUE(lease.reserve(ops(10), small));
  for (int second = 1; second < 8640; ++second) {
    check_in(lease, host("a", second * 1s));
    EXPECT_FALSE(lease.reserve(ops(1), small));
    lease = reread(lease);
  }
  check_in(lease, host("a", 8640s));
  EXPECT_TRUE(lease.reserve(ops(1), small));
}

TEST(LeaseBudget, HostsThatDifferRefillItAtTheSmallerFigure) {
  Lease lease;
  const Usage small{864s, Bytes{1'000'000}, Ops{100}};
  check_in(lease, host("a", 0s));
  ASSERT_TRUE(lease.reserve(ops(1000), kAllowance));
  check_in(lease, host("a", 12h));
  EXPECT_EQ(lease.spent(small), ops(950));
  EXPECT_FALSE(lease.reserve(ops(1), small));
}

TEST(LeaseBudget, ADamagedFileCountsAsADaySpent) {
  Lease lease = Lease::spent_in_full(kAllowance);
  check_in(lease, host("a", 0s));
  EXPECT_FALSE(lease.reserve(ops(1), kAllowance));
  check_in(lease, host("a", 12h));
  lease = reread(lease);
  EXPECT_TRUE(lease.reserve(ops(500), kAllowance));
  EXPECT_FALSE(lease.reserve(ops(1), kAllowance));
}

TEST(LeaseBudget, HugeFiguresDoNotOverflow) {
  Lease lease;
  const Usage huge{Duration::max(), Bytes{UINT64_MAX}, Ops{UINT64_MAX}};
  check_in(lease, host("a", 0s));
  EXPECT_TRUE(lease.reserve(huge, huge));
  EXPECT_FALSE(lease.reserve(huge, huge));
  lease.settle(huge, huge, huge);
  lease = reread(lease);
  EXPECT_FALSE(lease.reserve(ops(1), kAllowance));
}

}  // namespace
}  // namespace storage_probe::budget
