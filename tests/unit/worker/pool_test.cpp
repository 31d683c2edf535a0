// SPDX-License-Identifier: Apache-2.0
#include "worker/pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "support/temp_dir.h"
#include "unit/worker/drive.h"
#include "worker/target_lock.h"

namespace storage_probe::worker {
namespace {

using std::chrono::seconds;
using test::now;

// A pool whose workers are real, on a directory that may be anything.
class PoolTest : public testing::Test {
 protected:
  Pool::Watch start() {
    const auto watch = pool_.start(job_, now());
    if (!watch) throw std::runtime_error(watch.error().message);
    return *watch;
  }
  std::optional<ProbeReport> end(const Pool::Watch& watch) {
    EXPECT_TRUE(test::wait_readable(watch.exit_fd));
    return pool_.on_exit("db", now());
  }

  test::TempDir dir_;
  Pool pool_{dir_ / "run"};
  Job job_ = test::small_job(dir_.path());
};

TEST_F(PoolTest, RunsOneChildATarget) {
  const Pool::Watch watch = start();
  EXPECT_EQ(pool_.running(), 1U);
  EXPECT_TRUE(pool_.has("db"));
  EXPECT_EQ(pool_.start(job_, now()).error().code, Errc::busy);
  const auto report = end(watch);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->target, "db");
  EXPECT_EQ(pool_.running(), 0U);
  EXPECT_FALSE(pool_.has("db"));
}

TEST_F(PoolTest, ReportsATargetThatAnotherProcessHoldsAsStuck) {
  const auto lock = lock_target(dir_ / "run", "db");
  ASSERT_TRUE(lock);
  const auto report = end(start());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::failed);
  EXPECT_EQ(report->state, TargetState::stuck);
  EXPECT_EQ(report->failure->code, "busy");
  EXPECT_EQ(report->used(), Usage{});
}

TEST_F(PoolTest, LetsTheChildHoldTheLockToItsEnd) {
  job_.spec.limits = {std::chrono::minutes{5}, {}, {}};
  const Pool::Watch watch = start();
  // Its second line comes after the lock.
  for (int lines = 0; lines < 2;) {
    char c = 0;
    ASSERT_TRUE(test::wait_readable(watch.report_fd));
    if (::read(watch.report_fd, &c, 1) == 1 && c == '\n') ++lines;
  }
  EXPECT_EQ(lock_target(dir_ / "run", "db").error().code, Errc::busy);
  pool_.kill("db", now());
  end(watch);
  EXPECT_TRUE(lock_target(dir_ / "run", "db"));
}

TEST_F(PoolTest, KillsTheOverdue) {
  job_.spec.limits = {std::chrono::minutes{5}, {}, {}};
  const Pool::Watch watch = start();
  EXPECT_TRUE(pool_.tick(now() + std::chrono::hours{1}).empty());  // kills
  const auto report = end(watch);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, Outcome::timed_out);
}

TEST_F(PoolTest, ReportsAChildThatSurvivesItsKillOnce) {
  const Pool::Watch watch = start();
  const SteadyTime killed = now();
  pool_.kill("db", killed);
  EXPECT_TRUE(pool_.tick(killed + seconds{1}).empty());
  const auto stuck = pool_.tick(killed + seconds{2});
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].target, "db");
  EXPECT_EQ(stuck[0].outcome, Outcome::stuck);
  EXPECT_EQ(pool_.stuck(), 1U);
  EXPECT_EQ(pool_.running(), 0U);
  EXPECT_TRUE(pool_.tick(killed + seconds{3}).empty());
  EXPECT_EQ(pool_.start(job_, now()).error().code, Errc::busy);
  EXPECT_FALSE(end(watch)) << "its report was given out before";
  EXPECT_EQ(pool_.stuck(), 0U);
  EXPECT_TRUE(pool_.start(job_, now()));
  pool_.kill_all(now());
  ASSERT_EQ(::waitpid(-1, nullptr, 0) > 0, true);
}

TEST_F(PoolTest, KnowsNothingOfTargetsItDoesNotHave) {
  EXPECT_FALSE(pool_.on_report_readable("db", now()));
  EXPECT_FALSE(pool_.on_exit("db", now()));
  pool_.kill("db", now());
}

}  // namespace
}  // namespace storage_probe::worker
