// SPDX-License-Identifier: Apache-2.0
#include "service/durable_ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Usage kAllowance{hours(1), kGiB, Ops{1'000'000}};
const Usage kRun{seconds(2), kMiB, Ops{1000}};

class DurableLedgerTest : public testing::Test {
 protected:
  using Condition = std::function<bool(DurableLedger&)>;

  // Opens a ledger, runs its loop until the condition holds, and ends it.
  void with_ledger(const Condition& condition) {
    auto loop = EventLoop::create();
    ASSERT_TRUE(loop);
    auto ledger = DurableLedger::open(*loop, storage_.path(), logger_, [] {});
    ASSERT_TRUE(ledger);
    (*ledger)->set_allowance("db", kAllowance);
    bool is_met = false;
    const SteadyTime end = std::chrono::steady_clock::now() + seconds(60);
    EventLoop::Source ticker;
    ticker = std::move(*loop->timer([&] {
      ticker.set_time(std::chrono::steady_clock::now() + milliseconds(5));
      (*ledger)->tick();
      is_met = condition(**ledger);
      if (is_met || std::chrono::steady_clock::now() > end) loop->exit(0);
    }));
    ticker.set_time(std::chrono::steady_clock::now());
    ASSERT_TRUE(loop->run());
    EXPECT_TRUE(is_met);
  }

  // A condition that begins once the journal was read.
  static Condition once_read(Condition condition) {
    return [condition = std::move(condition)](DurableLedger& ledger) {
      return ledger.is_read() && ledger.obstacle().empty() && condition(ledger);
    };
  }
  static Usage used(const DurableLedger& ledger) {
    return ledger.ledger().in_use("db", std::chrono::steady_clock::now());
  }
  // Reserves, and settles where `spent` is given; holds when the reservation is durable.
  static Condition reserve_durably(std::optional<Usage> spent) {
    return once_read(
        [spent, ticket = std::optional<DurableLedger::Ticket>()](auto& ledger) mutable {
          if (!ticket) {
            const auto reservation =
                ledger.ledger().reserve("db", kRun, std::chrono::steady_clock::now());
            if (!reservation) return false;
            ticket = ledger.note(*reservation);
            EXPECT_FALSE(ledger.is_durable(*ticket)) << "the disk was not waited for";
            if (spent) ledger.settle(*reservation, *spent);
          }
          return ledger.is_durable(*ticket);
        });
  }
  std::filesystem::path journal() const { return storage_ / "ledger"; }

  test::TempDir storage_;
  Logger logger_{LogLevel::error, LogFormat::logfmt};
};

TEST_F(DurableLedgerTest, MayBeSpentFromOnceItWasRead) {
  with_ledger([](DurableLedger& ledger) {
    EXPECT_EQ(ledger.is_read(), ledger.obstacle().empty());
    return ledger.is_read();
  });
}

TEST_F(DurableLedgerTest, TellsTheNextOneWhatWasSpent) {
  with_ledger(reserve_durably(Usage{seconds(1), kMiB, Ops{600}}));
  with_ledger(once_read([](DurableLedger& ledger) {
    EXPECT_GE(used(ledger).ops.value, 590U);  // some of it has refilled
    EXPECT_LE(used(ledger).ops.value, 600U);
    return true;
  }));
}

TEST_F(DurableLedgerTest, CountsWhatWasNeverSettledInFull) {
  with_ledger(reserve_durably(std::nullopt));
  for (int start = 0; start < 2; ++start) {
    with_ledger(once_read([](DurableLedger& ledger) {
      EXPECT_GE(used(ledger).ops.value, 990U);
      EXPECT_LE(used(ledger).ops.value, 1000U);
      return true;
    }));
  }
}

TEST_F(DurableLedgerTest, IsNotReadFromWhatIsNoJournal) {
  std::ofstream(journal()) << "mine\n";
  with_ledger([](DurableLedger& ledger) {
    return !ledger.is_read() && ledger.obstacle().find("move it away") != std::string::npos;
  });
  EXPECT_EQ(std::filesystem::file_size(journal()), 5U);
}

TEST_F(DurableLedgerTest, CountsEverythingAsSpentWhenItIsDamaged) {
  with_ledger(reserve_durably(Usage{}));
  std::ifstream in(journal());
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text[text.find('\n') + 1] ^= 1;
  std::ofstream(journal()) << text;
  for (int start = 0; start < 2; ++start) {
    with_ledger(once_read([](DurableLedger& ledger) {
      EXPECT_GE(used(ledger).ops.value, 990'000U);
      return true;
    }));
  }
}

TEST_F(DurableLedgerTest, StaysShortHoweverMuchIsSettled) {
  with_ledger(once_read([count = 0](DurableLedger& ledger) mutable {
    for (int i = 0; i < 200; ++i, ++count) {
      const auto reservation =
          ledger.ledger().reserve("db", Usage{{}, kMiB, Ops{1}}, std::chrono::steady_clock::now());
      if (!reservation) break;
      ledger.note(*reservation);
      ledger.settle(*reservation, Usage{});
    }
    return count >= 10'000;
  }));
  EXPECT_LT(std::filesystem::file_size(journal()), 200'000U);
}

}  // namespace
}  // namespace storage_probe::service
