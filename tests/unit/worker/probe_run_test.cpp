// SPDX-License-Identifier: Apache-2.0
// Real workers on real files, under the build directory's or TMPDIR's file system.
#include "worker/probe_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/temp_dir.h"
#include "unit/worker/drive.h"

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::run;

std::string told(const ProbeReport& report) {
  return report.failure ? report.failure->code + ": " + report.failure->message : "";
}

#define ASSERT_RAN(report)                                                       \
  if ((report).failure && ((report).state == TargetState::not_a_disk ||          \
                           (report).state == TargetState::direct_io_rejected))   \
    GTEST_SKIP() << "no direct I/O where temporary files are: " << told(report); \
  ASSERT_EQ((report).outcome, Outcome::ok) << told(report)

class ProbeRunTest : public testing::Test {
 protected:
  ProbeRunTest() { job_ = test::small_job(dir_.path()); }
  void use_managed_file() { job_.target.file.mode = ProbeFileSpec::Mode::managed; }

  test::TempDir dir_;
  Job job_;
};

TEST_F(ProbeRunTest, ReadsAnUnnamedFile) {
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_EQ(report.state, TargetState::ready);
  EXPECT_TRUE(report.direct_io);
  EXPECT_NE(report.engine, Engine::automatic);
  EXPECT_EQ(report.engine == Engine::threads, !report.engine_note.empty());
  EXPECT_EQ(report.file_bytes, Bytes{16 * kMiB.value});
  EXPECT_EQ(report.measured.used[Operation::read].ops, Ops{50});
  EXPECT_GT(report.measured.operations[Operation::read].ios, 0U);
  EXPECT_EQ(report.measured.stopped_by, StopReason::ios);
  EXPECT_GE(report.layout[Operation::write].bytes.value, 16 * kMiB.value);
  EXPECT_FALSE(report.identity.source.empty());
  EXPECT_LE(report.started, report.ended);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path())) << "nothing is left behind";
}

TEST_F(ProbeRunTest, RunsOnThreadsToo) {
  job_.target.engine = Engine::threads;
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_EQ(report.engine, Engine::threads);
  EXPECT_EQ(report.measured.used[Operation::read].ops, Ops{50});
}

TEST_F(ProbeRunTest, MeasuresLatency) {
  job_.spec = *find_preset("latency");
  job_.spec.rate = 100;
  job_.spec.limits = {milliseconds{300}, Bytes{}, Ops{}};
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_GT(report.measured.operations[Operation::read].latency.count(), 20U);
  EXPECT_EQ(report.measured.stopped_by, StopReason::time);
}

TEST_F(ProbeRunTest, LaysAManagedFileOutOnce) {
  use_managed_file();
  const ProbeReport first = run(job_);
  ASSERT_RAN(first);
  EXPECT_GT(first.layout[Operation::write].ops.value, 0U);
  EXPECT_GT(first.layout_elapsed, Duration{});
  const ProbeReport second = run(job_);
  ASSERT_RAN(second);
  EXPECT_EQ(second.layout[Operation::write], Usage{});
  EXPECT_TRUE(std::filesystem::exists(dir_ / ".storage-probe/0123456789abcdef.dat"));
}

TEST_F(ProbeRunTest, KeepsAFileUnderItsNameWhenAsked) {
  job_.keep_file = true;
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_TRUE(std::filesystem::exists(dir_ / ".storage-probe/0123456789abcdef.dat"));
}

TEST_F(ProbeRunTest, WritesWhereItMay) {
  use_managed_file();
  job_.target.writes = true;
  job_.spec.read_percent = 0;
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_GT(report.measured.operations[Operation::write].ios, 0U);
  EXPECT_EQ(report.measured.operations[Operation::fsync].ios, 1U);
  ASSERT_RAN(run(job_)) << "the header has survived";
}

TEST_F(ProbeRunTest, RefusesToWriteWithoutLeave) {
  job_.spec.read_percent = 75;
  ProbeReport report = run(job_);
  EXPECT_EQ(told(report),
            "read_only: probe randread writes, which target db does not allow: "
            "set writes");
  job_.target.writes = true;
  job_.target.file.mode = ProbeFileSpec::Mode::existing;
  report = run(job_);
  EXPECT_EQ(told(report), "read_only: probe randread writes, which target db never allows");
}

TEST_F(ProbeRunTest, PreparesWhenTheAllowanceDoesNotPayForTheFile) {
  job_.layout_allowance = kMiB;
  const ProbeReport report = run(job_);
  if (report.state == TargetState::not_a_disk) GTEST_SKIP() << told(report);
  EXPECT_EQ(report.state, TargetState::preparing) << told(report);
  EXPECT_EQ(report.layout[Operation::write], Usage{});
}

TEST_F(ProbeRunTest, NeedsAMountPointUnlessToldOtherwise) {
  job_.target.any_directory = false;
  const ProbeReport report = run(job_);
  if (report.state == TargetState::namespace_mismatch) GTEST_SKIP() << told(report);
  EXPECT_EQ(report.state, TargetState::not_mounted);
}

TEST_F(ProbeRunTest, RefusesBlocksThatDirectIoCannotDo) {
  job_.spec.block_size = Bytes{1000};
  const ProbeReport report = run(job_);
  EXPECT_EQ(report.failure->code, "direct_io_rejected") << told(report);
}

TEST_F(ProbeRunTest, KeepsTheQueueToHalfOfTheFile) {
  job_.spec.block_size = kMiB;
  job_.spec.queue_depth = 64;
  const ProbeReport report = run(job_);
  ASSERT_RAN(report);
  EXPECT_LE(*report.spec.queue_depth, 8U);
}

TEST_F(ProbeRunTest, TellsItsPhases) {
  auto process = Process::spawn(job_, {}, test::now());
  ASSERT_TRUE(process);
  std::vector<Phase> phases;
  while (test::wait_readable(process->report_fd()) && process->on_report_readable(test::now())) {
    phases.push_back(process->progress()->phase);
  }
  test::wait_readable(process->exit_fd());
  ASSERT_RAN(process->collect(test::now()));
  EXPECT_TRUE(std::is_sorted(phases.begin(), phases.end()));
  EXPECT_EQ(phases.back(), Phase::measure);
}

}  // namespace
}  // namespace storage_probe::worker
