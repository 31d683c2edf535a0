// SPDX-License-Identifier: Apache-2.0
// Runs with real children on real files: this program is its own worker.
#include "service/runs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TempDir;

constexpr seconds kPatience{60};  // machines are shared and sanitizers slow

const Usage kLong{seconds(60), kGiB, Ops{1'000'000}};

Target small_target(const std::string& name, const std::filesystem::path& path) {
  Target target;
  target.name = name;
  target.path = path;
  target.any_directory = true;
  target.file.size = Bytes{16 * kMiB.value};
  target.space = {0, kMiB};
  ProbeSpec spec = *find_preset("randread");
  spec.limits = {seconds(5), {}, Ops{200}};
  target.probes.push_back({spec, hours(6)});
  return target;
}

class RunsTest : public testing::Test {
 protected:
  RunsTest()
      : runs_(loop_, recorder_, logger_, {storage_.path(), "00000000000000a1", "/proc", "/sys"},
              [] {}) {}

  void load(std::vector<Target> targets) {
    config::Config config;
    config.targets = std::move(targets);
    ASSERT_TRUE(runs_.configure(config, {}));
  }

  // What to wait for, and what to do when it has come about.
  struct Step {
    std::function<bool()> condition;
    std::function<void()> action = [] {};
  };

  // Runs the loop, with its tick, through the steps; the loop runs once only.
  void go_through(std::vector<Step> steps) {
    const SteadyTime end = std::chrono::steady_clock::now() + kPatience;
    std::size_t at = 0;
    EventLoop::Source ticker;
    ticker = std::move(*loop_.timer([&] {
      ticker.set_time(std::chrono::steady_clock::now() + milliseconds(20));
      runs_.tick();
      if (at < steps.size() && steps[at].condition()) steps[at++].action();
      if (at == steps.size() || std::chrono::steady_clock::now() > end) loop_.exit(0);
    }));
    ticker.set_time(std::chrono::steady_clock::now());
    ASSERT_TRUE(loop_.run());
    ASSERT_EQ(at, steps.size()) << "step " << at << " did not come about";
  }
  void until(std::function<bool()> condition) { go_through({{std::move(condition)}}); }

  const TargetStatus& status(const std::string& target) { return *recorder_.find(target); }
  std::uint64_t runs(const std::string& target, Outcome outcome) {
    const auto& counts = status(target).probes.front().runs;
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0 : found->second;
  }

  TempDir storage_, data_;
  Logger logger_{LogLevel::error, LogFormat::logfmt};
  EventLoop loop_ = std::move(*EventLoop::create());
  metrics::Recorder recorder_;
  Runs runs_;
};

TEST_F(RunsTest, AProbeRunsInAChildAndItsResultIsRecorded) {
  load({small_target("db", data_.path())});
  until([&] { return runs("db", Outcome::ok) + runs("db", Outcome::failed) > 0; });
  if (status("db").state != TargetState::ready) GTEST_SKIP() << status("db").message;
  EXPECT_EQ(runs("db", Outcome::ok), 1U);
  EXPECT_EQ(status("db").file_bytes.value, 16 * kMiB.value);
  EXPECT_EQ(status("db").probes.front().spent[Operation::read].ops.value, 200U);
  EXPECT_EQ(runs_.running(), 0U);
}

TEST_F(RunsTest, TheLedgerIsChargedWhatWasUsed) {
  load({small_target("db", data_.path())});
  until([&] { return runs("db", Outcome::ok) + runs("db", Outcome::failed) > 0; });
  if (status("db").state != TargetState::ready) GTEST_SKIP() << status("db").message;
  auto statuses = recorder_.statuses(std::chrono::system_clock::now());
  runs_.complete(statuses);
  const std::uint64_t used = statuses.front().budget_used.bytes.value;
  EXPECT_GE(used, 16 * kMiB.value) << "the layout is paid for";
  EXPECT_LE(used, 18 * kMiB.value) << "what was reserved and not used came back";
  EXPECT_TRUE(statuses.front().probes.front().next_run);
}

TEST_F(RunsTest, ARunThatFollowsAnotherAtOnceIsSeenToEnd) {
  Target target = small_target("db", data_.path());
  target.probes.push_back(target.probes.front());
  target.probes.back().spec.name = "again";
  load({target});
  until([&] { return status("db").probes.back().last_succeeded.has_value(); });
  EXPECT_NE(status("db").state, TargetState::stuck) << status("db").message;
}

TEST_F(RunsTest, ALostProbeFileIsLaidOutAgain) {
  Target target = small_target("db", data_.path());
  target.probes.front().every = seconds(1);
  target.budget.duty_cycle = 1;
  load({target});
  go_through(
      {{[&] { return runs("db", Outcome::ok) > 0; },
        [&] { std::filesystem::remove_all(data_ / ".storage-probe"); }},
       {[&] { return status("db").state != TargetState::ready || runs("db", Outcome::ok) > 20; }},
       {[&] { return status("db").state == TargetState::ready; }}});
  EXPECT_EQ(status("db").state, TargetState::ready) << status("db").message;
  EXPECT_FALSE(std::filesystem::is_empty(data_ / ".storage-probe"));
}

TEST_F(RunsTest, AMissingTargetIsAStateAndNothingIsWritten) {
  Target target = small_target("gone", data_ / "nothing-here");
  load({target});
  until([&] { return status("gone").state != TargetState::unknown; });
  EXPECT_EQ(status("gone").state, TargetState::not_mounted);
  EXPECT_NE(status("gone").message.find("nothing-here"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(data_.path()));
}

TEST_F(RunsTest, RemovingATargetKillsItsChildAndForgetsIt) {
  Target target = small_target("db", data_.path());
  target.probes.front().spec.limits = kLong;
  load({target});
  go_through({{[&] { return runs_.running() == 1; }, [&] { load({}); }},
              {[&] { return runs_.running() == 0; }}});
  EXPECT_EQ(recorder_.find("db"), nullptr) << "the report of a removed target is dropped";
}

TEST_F(RunsTest, AHoldEndsTheRunningChildAndIsNoFailure) {
  Target target = small_target("db", data_.path());
  target.probes.front().spec.limits = kLong;
  load({target});
  go_through({{[&] { return runs_.running() == 1; },
               [&] {
                 runs_.set_holds({{"db", Hold{{}, "failover"}}});
               }},
              {[&] { return runs_.running() == 0; }}});
  EXPECT_EQ(status("db").held, "until it is released: failover");
  const ProbeStatus& probe = status("db").probes.front();
  EXPECT_TRUE(probe.runs.empty() || runs("db", Outcome::failed) == 0);
  EXPECT_FALSE(probe.last_run);
  EXPECT_EQ(probe.skipped.at("hold"), 1U);
}

TEST_F(RunsTest, AfterTheReleaseItIsProbedAgain) {
  runs_.set_holds({{kHoldAll, Hold{}}});
  load({small_target("db", data_.path())});
  EXPECT_EQ(runs_.running(), 0U);
  EXPECT_TRUE(status("db").held);
  bool released = false;
  go_through({{[&] { return true; },
               [&] {
                 released = true;
                 runs_.set_holds({});
               }},
              {[&] { return status("db").probes.front().last_run.has_value(); }}});
  EXPECT_TRUE(released);
  EXPECT_FALSE(status("db").held);
}

TEST_F(RunsTest, AQuietTimeStartsNothing) {
  config::Config config;
  config.targets = {small_target("db", data_.path())};
  config.windows.quiet = {{std::chrono::hours(0), std::chrono::hours(12)},
                          {std::chrono::hours(12), std::chrono::hours(0)}};
  ASSERT_TRUE(runs_.configure(config, {}));
  runs_.tick();
  EXPECT_EQ(runs_.running(), 0U);
  EXPECT_TRUE(std::filesystem::is_empty(data_.path()));
}

TEST_F(RunsTest, ThePlanOfADayIsShown) {
  load({small_target("db", data_.path())});
  EXPECT_EQ(status("db").planned_per_day.ops.value, 4 * 201U) << "every 6 h, and the file's header";
}

TEST_F(RunsTest, AnObserverStartsNothingAndSaysWhatIsThere) {
  Runs observer(loop_, recorder_, logger_,
                {storage_.path(), "00000000000000a1", "/proc", "/sys", Mode::observe}, [] {});
  config::Config config;
  config.targets = {small_target("db", data_.path())};
  ASSERT_TRUE(observer.configure(config, {}));
  observer.tick();
  EXPECT_EQ(observer.running(), 0U);
  EXPECT_FALSE(status("db").identity.mountpoint.empty());
  EXPECT_TRUE(std::filesystem::is_empty(data_.path()));
}

TEST_F(RunsTest, AnUnchangedTargetKeepsItsRunThroughAReload) {
  Target target = small_target("db", data_.path());
  target.probes.front().spec.limits.time = seconds(2);
  load({target});
  go_through({{[&] { return runs_.running() == 1; },
               // Its index moves.
               [&] {
                 load({small_target("first", data_ / "no"), target});
               }},
              {[&] { return runs("db", Outcome::ok) + runs("db", Outcome::failed) > 0; }}});
  if (status("db").state != TargetState::ready) GTEST_SKIP() << status("db").message;
  EXPECT_EQ(runs("db", Outcome::ok), 1U);
}

TEST_F(RunsTest, ATargetThatMovesIsLaidOutAtItsNewPlace) {
  const TempDir other;
  const auto often = [](const std::filesystem::path& path) {
    Target target = small_target("db", path);
    target.probes.front().every = seconds(1);  // it keeps its slots
    target.budget.duty_cycle = 1;
    return target;
  };
  load({often(data_.path())});
  go_through({{[&] { return runs("db", Outcome::ok) > 0; }, [&] { load({often(other.path())}); }},
              {[&] { return status("db").file_bytes.value > 0; }}});
  EXPECT_TRUE(std::filesystem::exists(other / ".storage-probe"));
  EXPECT_EQ(runs("db", Outcome::failed), 0U) << "the layout was in the first run's budget";
}

TEST_F(RunsTest, StopEndsEveryChildAndStartsNoOther) {
  Target target = small_target("db", data_.path());
  target.probes.front().spec.limits = kLong;
  load({target});
  go_through({{[&] { return runs_.running() == 1; }, [&] { runs_.stop(); }},
              {[&] { return runs_.running() == 0; }}});
  runs_.tick();
  EXPECT_EQ(runs_.running(), 0U);
}

}  // namespace
}  // namespace storage_probe::service
