// SPDX-License-Identifier: Apache-2.0
#include "service/history.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class HistoryTest : public testing::Test {
 protected:
  using Records = std::vector<HistoryRecord>;

  // What an earlier daemon has left, once this one has done what it is told to.
  Records with_history(const std::function<void(History&)>& then = [](History&) {}) {
    Records found;
    auto loop = EventLoop::create();
    bool is_read = false;
    auto history = History::open(*loop, storage_.path(), logger_, [&](const Records& records) {
      found = records;
      is_read = true;
    });
    if (!history) return found;
    const SteadyTime end = std::chrono::steady_clock::now() + seconds(60);
    EventLoop::Source ticker;
    bool is_done = false;
    ticker = std::move(*loop->timer([&] {
      if (is_done || std::chrono::steady_clock::now() > end) return loop->exit(0);
      ticker.set_time(std::chrono::steady_clock::now() + milliseconds(5));
      if (!is_read) return;
      then(**history);
      is_done = true;
    }));
    ticker.set_time(std::chrono::steady_clock::now());
    EXPECT_TRUE(loop->run());
    EXPECT_TRUE(is_read);
    return found;
  }

  static RunRecord run(const std::string& probe, Duration ago) {
    RunRecord record;
    record.target = "db";
    record.probe = probe;
    record.ended =
        std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now() - ago);
    return record;
  }
  static RunRecord judged(Duration ago, Verdict verdict) {
    RunRecord record = run("randread", ago);
    record.judgement = Judgement{verdict, Reason::ok, 1.0, {}, ""};
    return record;
  }
  std::filesystem::path file() const { return storage_ / "history"; }

  test::TempDir storage_;
  Logger logger_{LogLevel::error, LogFormat::logfmt};
};

TEST_F(HistoryTest, IsEmptyAtFirst) { EXPECT_TRUE(with_history().empty()); }

TEST_F(HistoryTest, TellsTheNextDaemonWhatWasMeasured) {
  const RunRecord before = judged(minutes(9), Verdict::compliant);
  LatestResult latest;
  latest.target = "db";
  latest.probe = "randread";
  latest.result.ended = before.ended;
  with_history([&](History& history) {
    history.note_run(before, latest);
    history.note(CreditsRecord{"db", "vol-1", before.ended, "1 2"});
    history.note(PromiseRecord{"db", "vol-1", before.ended, {}, {}});
  });
  const Records found = with_history();
  ASSERT_EQ(found.size(), 4U);
  const auto is = [&](auto type) {
    return std::any_of(found.begin(), found.end(), [](const HistoryRecord& record) {
      return std::holds_alternative<decltype(type)>(record);
    });
  };
  EXPECT_TRUE(is(RunRecord{}) && is(LatestResult{}) && is(CreditsRecord{}) && is(PromiseRecord{}));
}

TEST_F(HistoryTest, ForgetsADayAndWhatIsTooMuch) {
  with_history([](History& history) {
    history.note_run(judged(hours(25), Verdict::compliant), {});
    for (int i = 150; i > 0; --i) history.note_run(judged(minutes(i), Verdict::compliant), {});
    EXPECT_EQ(history.runs("db", "randread")->size(), 100U);
  });
  EXPECT_EQ(with_history().size(), 100U);
}

TEST_F(HistoryTest, ForgetsWhatAClockThatWasWrongHasDated) {
  with_history(
      [](History& history) { history.note_run(judged(-hours(24 * 365), Verdict::compliant), {}); });
  EXPECT_TRUE(with_history().empty());
}

TEST_F(HistoryTest, KeepsLatencyRunsAQuarterOfAnHourApart) {
  with_history([](History& history) {
    for (int i = 60; i > 0; --i) history.note_run(run("latency", minutes(i)), {});
    EXPECT_EQ(history.runs("db", "latency")->size(), 5U);
  });
}

TEST_F(HistoryTest, LeavesOutWhatItCannotRead) {
  with_history([](History& history) {
    history.note_run(judged(minutes(2), Verdict::compliant), {});
    history.note_run(judged(minutes(1), Verdict::noncompliant), {});
  });
  std::string text = test::read_whole(file());
  text[text.find("randread")] ^= 1;  // in the first of them
  test::write_file(file(), text);
  EXPECT_EQ(with_history().size(), 1U);
  EXPECT_EQ(with_history().size(), 1U) << "and is whole again";
}

TEST_F(HistoryTest, ForgetsATargetThatIsGone) {
  with_history([](History& history) {
    history.note_run(judged(minutes(1), Verdict::compliant), {});
    history.forget("db");
    EXPECT_EQ(history.runs("db", "randread"), nullptr);
  });
}

TEST_F(HistoryTest, IsSettledSoonWhereItsFileIsAnothers) {
  test::write_file(file(), "mine\n");
  auto loop = EventLoop::create();
  auto history = History::open(*loop, storage_.path(), logger_, [](const Records&) {});
  ASSERT_TRUE(history);
  EventLoop::Source ticker;
  const SteadyTime end = std::chrono::steady_clock::now() + seconds(60);
  ticker = std::move(*loop->timer([&] {
    if ((*history)->is_settled() || std::chrono::steady_clock::now() > end) return loop->exit(0);
    ticker.set_time(std::chrono::steady_clock::now() + milliseconds(5));
  }));
  ticker.set_time(std::chrono::steady_clock::now());
  ASSERT_TRUE(loop->run());
  EXPECT_TRUE((*history)->is_settled());
  EXPECT_EQ(test::read_whole(file()), "mine\n");
}

}  // namespace
}  // namespace storage_probe::service
