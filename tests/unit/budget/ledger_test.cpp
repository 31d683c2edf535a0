// SPDX-License-Identifier: Apache-2.0
#include "budget/ledger.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace storage_probe::budget {
namespace {

using namespace std::chrono_literals;

constexpr SteadyTime kStart{1000h};
const Usage kAllowance{864s, Bytes{1'000'000}, Ops{1000}};

Usage bytes(std::uint64_t n) { return {{}, Bytes{n}, {}}; }

Ledger one_target(const Usage& allowance = kAllowance) {
  Ledger ledger;
  ledger.set_allowance("db", allowance, kStart);
  return ledger;
}

void spend(Ledger& ledger, const Usage& usage, SteadyTime now) {
  const auto reservation = ledger.reserve("db", usage, now);
  ASSERT_TRUE(reservation) << reservation.error().message;
  ledger.settle(*reservation, usage, now);
}

TEST(Ledger, StartsWithAFullBucket) {
  Ledger ledger = one_target();
  EXPECT_EQ(ledger.in_use("db", kStart), Usage{});
  EXPECT_TRUE(ledger.reserve("db", kAllowance, kStart));
  EXPECT_EQ(ledger.in_use("db", kStart), kAllowance);
}

TEST(Ledger, RefusesAProbeItCannotPayFor) {
  Ledger ledger = one_target();
  spend(ledger, bytes(750'000), kStart);
  const auto refused = ledger.reserve("db", bytes(500'000), kStart);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::exhausted);
  EXPECT_EQ(refused.error().message,
            "488 KiB needed, 244 KiB of 977 KiB a day left: enough in 6 h");
}

TEST(Ledger, SaysWhenWaitingIsInVain) {
  Ledger ledger = one_target();
  EXPECT_EQ(ledger.reserve("db", {{}, {}, Ops{1001}}, kStart).error().message,
            "1k I/Os needed, 1k I/Os of 1k I/Os a day left: it will never do");
  const auto running = ledger.reserve("db", {600s, {}, {}}, kStart);
  EXPECT_EQ(ledger.reserve("db", {600s, {}, {}}, kStart).error().message,
            "10 min needed, 4.4 min of 14.4 min a day left: a running probe holds the rest");
}

TEST(Ledger, GrantsWhatItSaidWouldBeThere) {
  Ledger ledger = one_target();
  spend(ledger, bytes(750'000), kStart);
  EXPECT_FALSE(ledger.reserve("db", bytes(500'000), kStart + 6h - 1ns));
  EXPECT_TRUE(ledger.reserve("db", bytes(500'000), kStart + 6h));
}

TEST(Ledger, GivesBackWhatWasNotUsed) {
  Ledger ledger = one_target();
  const auto reservation = ledger.reserve("db", bytes(900'000), kStart);
  ledger.settle(*reservation, bytes(100'000), kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(100'000));
}

TEST(Ledger, ChargesMoreThanWasReserved) {
  Ledger ledger = one_target();
  const auto reservation = ledger.reserve("db", bytes(1000), kStart);
  ledger.settle(*reservation, bytes(1'500'000), kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(1'500'000));
  EXPECT_FALSE(ledger.reserve("db", bytes(1), kStart + 11h));
  EXPECT_TRUE(ledger.reserve("db", bytes(1), kStart + 13h));
}

TEST(Ledger, RefillsContinuouslyAndNoFurtherThanFull) {
  Ledger ledger = one_target();
  spend(ledger, kAllowance, kStart);
  EXPECT_EQ(ledger.in_use("db", kStart + 6h), (Usage{648s, Bytes{750'000}, Ops{750}}));
  EXPECT_EQ(ledger.in_use("db", kStart + 24h), Usage{});
  EXPECT_EQ(ledger.in_use("db", kStart + 1000h), Usage{});
}

TEST(Ledger, DoesNotDriftHoweverOftenItIsAsked) {
  Ledger often = one_target({0s, Bytes{7}, Ops{3}});
  spend(often, {0s, Bytes{7}, Ops{3}}, kStart);
  for (int i = 1; i <= 100'000; ++i) {
    often.set_allowance("db", {0s, Bytes{7}, Ops{3}}, kStart + i * 123'456'789ns);
  }
  Ledger once = one_target({0s, Bytes{7}, Ops{3}});
  spend(once, {0s, Bytes{7}, Ops{3}}, kStart);
  for (const auto later : {12345678900000ns, 43200000000000ns, 86399999999999ns}) {
    EXPECT_EQ(often.in_use("db", kStart + later), once.in_use("db", kStart + later));
  }
  EXPECT_EQ(often.in_use("db", kStart + 24h - 1ns), (Usage{0s, Bytes{1}, Ops{1}}));
  EXPECT_EQ(often.in_use("db", kStart + 24h), Usage{});
}

TEST(Ledger, RefillsNothingWhenTimeGoesBack) {
  Ledger ledger = one_target();
  spend(ledger, bytes(1'000'000), kStart);
  EXPECT_EQ(ledger.in_use("db", kStart - 100h), bytes(1'000'000));
}

TEST(Ledger, CountsAnOpenReservationInFull) {
  Ledger ledger = one_target();
  const auto open = ledger.reserve("db", bytes(1'000'000), kStart);
  ASSERT_TRUE(open);
  EXPECT_EQ(ledger.in_use("db", kStart + 240h), bytes(1'000'000));
  EXPECT_FALSE(ledger.reserve("db", bytes(1), kStart + 240h));
}

TEST(Ledger, SettlesOnce) {
  Ledger ledger = one_target();
  const auto reservation = ledger.reserve("db", bytes(1000), kStart);
  ledger.settle(*reservation, bytes(1000), kStart);
  ledger.settle(*reservation, bytes(1000), kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(1000));
}

TEST(Ledger, GrantsARemovedTargetNothing) {
  Ledger ledger = one_target();
  ledger.remove("db", kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), Usage{});
  EXPECT_EQ(ledger.reserve("db", bytes(1), kStart).error().code, Errc::not_found);
}

TEST(Ledger, IsNotRefilledByRemovingATargetAndTakingItBack) {
  Ledger ledger = one_target();
  spend(ledger, bytes(600'000), kStart);
  ledger.remove("db", kStart);
  ledger.set_allowance("db", kAllowance, kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(600'000));
}

TEST(Ledger, ForgetsARemovedTargetOnceItHasRefilled) {
  Ledger ledger = one_target();
  spend(ledger, bytes(500'000), kStart);
  ledger.remove("db", kStart);
  EXPECT_EQ(ledger.standings(kStart).size(), 1U);
  EXPECT_TRUE(ledger.standings(kStart + 12h).empty());
}

TEST(Ledger, TakesOverWhatAnEarlierOneHasSpent) {
  Ledger ledger = one_target();
  ledger.restore("db", {{bytes(900'000), 6h}, {bytes(100'000), 1h}}, kStart);
  // 900,000 refilled for 6 h at a million a day, and 100,000 beside it.
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(750'000));
}

TEST(Ledger, KeepsWhatATargetHadSpentThatComesBackLater) {
  Ledger ledger;
  ledger.restore("db", {{bytes(600'000), 12h}, {bytes(150'000), 6h}}, kStart);
  ASSERT_EQ(ledger.standings(kStart).size(), 1U);
  EXPECT_EQ(ledger.standings(kStart)[0].spent, bytes(750'000));
  EXPECT_EQ(ledger.standings(kStart + 1h)[0].age, 7h);
  ledger.set_allowance("db", kAllowance, kStart + 1h);
  // As if all of it had been spent with the last of it, 7 h ago: rather too much.
  EXPECT_GT(ledger.in_use("db", kStart + 1h).bytes.value, 450'000U);
  EXPECT_EQ(ledger.standings(kStart + 1h).size(), 1U);
}

TEST(Ledger, DoesNotSaveUpWhatAnEarlierOneDidNotSpend) {
  Ledger ledger = one_target();
  ledger.restore("db", {{bytes(100), 23h}, {bytes(1'000'000), 0h}}, kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(1'000'000));
}

TEST(Ledger, TellsHowItsAccountsStand) {
  Ledger ledger = one_target();
  ledger.set_allowance("idle", kAllowance, kStart);
  spend(ledger, bytes(500'000), kStart);
  const auto reservation = ledger.reserve("db", bytes(1000), kStart);
  const auto standings = ledger.standings(kStart);
  ASSERT_EQ(standings.size(), 1U);
  EXPECT_EQ(standings[0].target, "db");
  EXPECT_EQ(standings[0].spent, bytes(500'000));
  ASSERT_EQ(standings[0].open.size(), 1U);
  EXPECT_EQ(standings[0].open[0].id, reservation->id);
  EXPECT_EQ(standings[0].open[0].amount, bytes(1000));
}

TEST(Ledger, AppliesAChangedAllowanceAtOnceAndKeepsTheSpend) {
  Ledger ledger = one_target();
  spend(ledger, bytes(600'000), kStart);
  ledger.set_allowance("db", {864s, Bytes{500'000}, Ops{1000}}, kStart);
  EXPECT_EQ(ledger.in_use("db", kStart), bytes(600'000));
  EXPECT_FALSE(ledger.reserve("db", bytes(1), kStart));
  ledger.set_allowance("db", {864s, Bytes{2'000'000}, Ops{1000}}, kStart);
  EXPECT_TRUE(ledger.reserve("db", bytes(1'400'000), kStart));
}

TEST(Ledger, LetsAnOverdrawnMeterAloneThatIsNotAskedFor) {
  Ledger ledger = one_target();
  spend(ledger, {864s, {}, {}}, kStart);
  EXPECT_TRUE(ledger.reserve("db", bytes(1), kStart));
}

TEST(Ledger, DoesNotLimitSecondsWithoutAnAllowanceOfThem) {
  Ledger ledger = one_target({0s, Bytes{10}, Ops{10}});
  EXPECT_TRUE(ledger.reserve("db", {1000h, Bytes{1}, Ops{1}}, kStart));
}

TEST(Ledger, KeepsTargetsApart) {
  Ledger ledger = one_target();
  ledger.set_allowance("other", kAllowance, kStart);
  spend(ledger, kAllowance, kStart);
  EXPECT_TRUE(ledger.reserve("other", kAllowance, kStart));
}

TEST(Ledger, SurvivesAbsurdFigures) {
  const Usage absurd{Duration::max(), Bytes{~0ULL}, Ops{~0ULL}};
  Ledger ledger = one_target(absurd);
  for (int i = 0; i < 5; ++i) {
    const auto reservation = ledger.reserve("db", bytes(1), kStart + i * 1000h);
    if (reservation) ledger.settle(*reservation, absurd, kStart + i * 1000h);
    EXPECT_GT(ledger.in_use("db", kStart + i * 1000h).bytes.value, 0U);
  }
  ledger.settle({99, "db", absurd}, {Duration::min(), {}, {}}, kStart);
}

// Random probes that end in random order, some of them over what was reserved. Whatever happens,
// what is in use is at most what was really used and what is reserved, and within the allowance
// but for what settle() charged beyond a reservation.
TEST(Ledger, KeepsItsPromiseInAnyOrderOfEvents) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    Ledger ledger = one_target();
    std::vector<Ledger::Reservation> open;
    SteadyTime now = kStart;
    std::uint64_t used = 0, reserved = 0, over = 0, granted = 0;
    for (int step = 0; step < 1000; ++step) {
      now += Duration(static_cast<std::int64_t>(random.below(600'000'000'000)));
      if (random.below(2) == 0) {
        auto got = ledger.reserve("db", bytes(random.below(200'000)), now);
        if (!got) continue;
        ++granted;
        reserved += got->amount.bytes.value;
        open.push_back(*std::move(got));
      } else if (!open.empty()) {
        std::swap(open[random.below(open.size())], open.back());
        const std::uint64_t amount = open.back().amount.bytes.value;
        const bool exceeds = random.below(20) == 0;
        const std::uint64_t really = exceeds ? amount + 5000 : random.below(amount + 1);
        ledger.settle(open.back(), bytes(really), now);
        open.pop_back();
        reserved -= amount;
        used += really;
        if (exceeds) over += 5000;
      }
      const std::uint64_t in_use = ledger.in_use("db", now).bytes.value;
      ASSERT_GE(in_use, reserved);
      ASSERT_LE(in_use, used + reserved);
      ASSERT_LE(in_use, kAllowance.bytes.value + over);
    }
    EXPECT_GT(granted, 50U);
  }
}

// The contract over time: in any 24 h no more is granted than two buckets.
TEST(Ledger, NeverGrantsMoreThanTheRefillAllows) {
  Ledger ledger = one_target();
  std::uint64_t granted = 0;
  for (SteadyTime now = kStart; now < kStart + 240h; now += 1min) {
    const auto reservation = ledger.reserve("db", bytes(3000), now);
    if (!reservation) continue;
    ledger.settle(*reservation, bytes(3000), now);
    granted += 3000;
  }
  EXPECT_LE(granted, 11 * kAllowance.bytes.value);
  EXPECT_GE(granted, 11 * kAllowance.bytes.value - 2 * 3000);
}

}  // namespace
}  // namespace storage_probe::budget
