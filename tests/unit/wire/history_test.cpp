// SPDX-License-Identifier: Apache-2.0
#include "wire/history.h"

#include <gtest/gtest.h>

namespace storage_probe::wire {
namespace {

const WallTime kNoon{std::chrono::seconds{1'800'000'000}};

template <typename Record>
Record there_and_back(const Record& record) {
  const std::string line = encode(HistoryRecord(record));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = decode_history(line);
  EXPECT_TRUE(read) << read.error().message;
  const auto* const same = std::get_if<Record>(&*read);
  EXPECT_NE(same, nullptr) << line;
  return same == nullptr ? Record{} : *same;
}

TEST(History, BringsARunBack) {
  RunRecord run;
  run.ended = kNoon;
  run.target = "db\n\xff";
  run.probe = "randread";
  run.volume_id = "vol-0abc";
  run.engine = Engine::threads;
  run.kernel = "6.1.0";
  run.outcome = Outcome::timed_out;
  run.evidence = Evidence::passive;
  run.iops = 2999.5;
  run.throughput = 12e6;
  run.latency = std::chrono::microseconds{700};
  run.judgement = {Verdict::noncompliant, Reason::below_promise, 0.7, {}, "70 %"};
  EXPECT_EQ(there_and_back(run), run);
  EXPECT_EQ(there_and_back(RunRecord{}), RunRecord{});
}

TEST(History, BringsAResultBack) {
  LatestResult latest;
  latest.target = "db";
  latest.probe = "randrw";
  latest.result.ended = kNoon;
  latest.result.duration = std::chrono::seconds{2};
  latest.result.queue_depth = 32;
  latest.result.other_iops = 5;
  latest.result.promise.iops = 3000;
  latest.result.operations[Operation::write] = OperationResult{
      1500, 750, 3e6, {{"50", std::chrono::microseconds{500}}}, std::chrono::seconds{1}};
  latest.verdict = {Verdict::compliant, Reason::ok, 1.0, 0.1, "fine"};
  latest.verdict_since = kNoon - std::chrono::hours{3};
  latest.compliant = true;
  const LatestResult back = there_and_back(latest);
  EXPECT_EQ(back.verdict, latest.verdict);
  EXPECT_EQ(back.verdict_since, latest.verdict_since);
  EXPECT_EQ(back.compliant, true);
  EXPECT_EQ(back.result.promise, latest.result.promise);
  EXPECT_FALSE(back.result.operations[Operation::read]);
  const auto& write = back.result.operations[Operation::write];
  ASSERT_TRUE(write);
  EXPECT_EQ(write->ios, 1500U);
  EXPECT_EQ(write->percentiles, latest.result.operations[Operation::write]->percentiles);
  EXPECT_EQ(write->max, std::chrono::seconds{1});
}

TEST(History, BringsCreditsAndPromisesBack) {
  const CreditsRecord credits{"db", "vol-1", kNoon, "5400000 1 2"};
  EXPECT_EQ(there_and_back(credits).levels, credits.levels);
  EXPECT_EQ(there_and_back(credits).when, kNoon);
  PromiseRecord change{"db", "vol-1", kNoon, {}, {}};
  change.before.iops = 3000;
  change.now.iops = 6000;
  change.now.from = "file";
  EXPECT_EQ(there_and_back(change).before, change.before);
  EXPECT_EQ(there_and_back(change).now, change.now);
}

TEST(History, RefusesWhatItDoesNotUnderstand) {
  for (const char* const line :
       {"", "{", "[]", "{}", R"({"run": 1})", R"({"fortune": {}})",
        R"({"credits": {"target": "a", "volume_id": "", "when": 1}})",
        R"({"credits": {"target": "a", "volume_id": "", "when": 1, "levels": "", "x": 1}})"}) {
    EXPECT_FALSE(decode_history(line)) << line;
  }
  std::string line = encode(HistoryRecord(RunRecord{}));
  EXPECT_TRUE(decode_history(line));
  const std::size_t engine = line.find("\"engine\":0");
  ASSERT_NE(engine, std::string::npos);
  line.replace(engine, 10, "\"engine\":9");
  EXPECT_FALSE(decode_history(line));
}

}  // namespace
}  // namespace storage_probe::wire
