// SPDX-License-Identifier: Apache-2.0
#include "budget/journal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace storage_probe::budget {
namespace {

using namespace std::chrono_literals;

const Usage kAmount{2s, Bytes{5000}, Ops{50}};
const Usage kUsed{1s, Bytes{3000}, Ops{30}};
constexpr Duration kNow = 100h;

struct JournalTest : testing::Test {
  Ledger::Reservation db{1, "my db", kAmount};
  std::vector<std::string> records{boot_record("this")};

  std::vector<Ledger::Charge> charges(const std::string& boot_id = "this") {
    auto all = charges_of(records, boot_id, kNow);
    EXPECT_LE(all.size(), 1U);
    return all.empty() ? std::vector<Ledger::Charge>{} : all.at("my db");
  }
};

TEST_F(JournalTest, ChargesWhatWasUsedWhenItWasSettled) {
  records.push_back(reserved_record(db));
  records.push_back(settled_record(db, kUsed, kNow - 3h));
  ASSERT_EQ(charges().size(), 1U);
  EXPECT_EQ(charges()[0].used, kUsed);
  EXPECT_EQ(charges()[0].age, 3h);
}

TEST_F(JournalTest, ChargesInFullAndFromNowOnWhatWasNeverSettled) {
  records.push_back(reserved_record(db));
  ASSERT_EQ(charges().size(), 1U);
  EXPECT_EQ(charges()[0].used, kAmount);
  EXPECT_EQ(charges()[0].age, Duration{});
}

TEST_F(JournalTest, DoesNotTakeTheNextDaemonsReservationForTheLastOnes) {
  records.push_back(reserved_record(db));
  records.push_back(boot_record("this"));
  records.push_back(reserved_record(db));  // the same number
  records.push_back(settled_record(db, kUsed, kNow));
  ASSERT_EQ(charges().size(), 2U);
  EXPECT_EQ(charges()[0].used, kAmount);
  EXPECT_EQ(charges()[1].used, kUsed);
}

TEST_F(JournalTest, RefillsSinceTheBootWhatWasSpentBeforeIt) {
  records.push_back(spent_record("my db", kUsed, 5000h));
  const auto all = charges_of(records, "another", 2h);
  ASSERT_EQ(all.at("my db").size(), 1U);
  EXPECT_EQ(all.at("my db")[0].age, 2h);
}

TEST_F(JournalTest, TakesEveryStartForAnotherBootWhereNoneHasAnId) {
  const auto all = charges_of({boot_record(""), spent_record("my db", kUsed, 1h)}, "", 2h);
  ASSERT_EQ(all.at("my db").size(), 1U);
  EXPECT_EQ(all.at("my db")[0].age, 2h);
}

TEST_F(JournalTest, IsNotFooledByATimeInTheFuture) {
  records.push_back(spent_record("my db", kUsed, kNow + 1h));
  ASSERT_EQ(charges().size(), 1U);
  EXPECT_EQ(charges()[0].age, Duration{});
}

TEST_F(JournalTest, LeavesOutWhatIsOlderThanADay) {
  records.push_back(spent_record("my db", kUsed, kNow - 24h));
  EXPECT_TRUE(charges().empty());
}

TEST_F(JournalTest, TellsTheOldestFirst) {
  records.push_back(spent_record("my db", kUsed, kNow - 1h));
  records.push_back(spent_record("my db", kAmount, kNow - 2h));
  ASSERT_EQ(charges().size(), 2U);
  EXPECT_EQ(charges()[0].age, 2h);
}

TEST_F(JournalTest, LeavesOutWhatItDoesNotUnderstand) {
  for (const char* const record :
       {"", "lent 1 2 3 4 my db", "spent", "spent x 1 1 1 my db", "spent 1 1 1 -1 my db",
        "settled 9 1 1 1 1", "settled", "reserved 99999999999999999999999 1 1 1 my db"})
    records.emplace_back(record);
  EXPECT_TRUE(charges().empty());
}

TEST_F(JournalTest, ReadsBackTheSummaryOfALedger) {
  Ledger ledger;
  const SteadyTime start{1000h};
  ledger.set_allowance("my db", {864s, Bytes{1'000'000}, Ops{1000}}, start);
  const auto open = ledger.reserve("my db", kAmount, start);
  ledger.settle(*ledger.reserve("my db", kAmount, start), kUsed, start);
  for (const std::string& record : summary_of(ledger, start, kNow)) records.push_back(record);
  Ledger next;
  next.set_allowance("my db", {864s, Bytes{1'000'000}, Ops{1000}}, start);
  next.restore("my db", charges(), start);
  EXPECT_EQ(next.in_use("my db", start), ledger.in_use("my db", start));
}

}  // namespace
}  // namespace storage_probe::budget
