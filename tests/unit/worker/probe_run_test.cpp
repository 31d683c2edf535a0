// SPDX-License-Identifier: Apache-2.0
// Real workers on real files, under the build directory's or TMPDIR's file system.
#include "worker/probe_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/files.h"
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
  job_.layout_allowance.bytes = kKiB;
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

class SharedProbeRunTest : public ProbeRunTest {
 protected:
  SharedProbeRunTest() {
    use_managed_file();
    job_.target.shared = Shared::yes;
    const Usage run{seconds{2}, Bytes{50 * 4096 + 4096}, Ops{51}};
    const Usage layout{seconds{1}, Bytes{17 * kMiB.value}, Ops{300}};
    job_.fleet = FleetTerms{{seconds{864}, kGiB, Ops{1000}}, run, layout, seconds{1}};
  }
  std::filesystem::path place(const std::string& name) const {
    return dir_ / ".storage-probe" / name;
  }
  Job other_host() const {
    Job job = job_;
    job.host_id = "fedcba9876543210";
    return job;
  }
};

TEST_F(SharedProbeRunTest, TheHostsHaveOneFile) {
  const ProbeReport first = run(job_);
  ASSERT_RAN(first);
  const ProbeReport second = run(other_host());
  ASSERT_RAN(second);
  EXPECT_GT(first.layout[Operation::write].ops.value, 0U);
  EXPECT_EQ(second.layout[Operation::write], Usage{});
  EXPECT_TRUE(std::filesystem::exists(place("shared.dat")));
  EXPECT_FALSE(std::filesystem::exists(place("0123456789abcdef.dat")));
}

TEST_F(SharedProbeRunTest, TheHostsPayFromOneAllowanceWhatTheyUse) {
  job_.fleet->allowance.ops = Ops{400};
  const ProbeReport first = run(job_);
  ASSERT_RAN(first);
  int more = 0;  // each uses 51 of what the first has left
  while (more < 10 && run(other_host()).outcome == Outcome::ok) ++more;
  EXPECT_GE(more, 1);
  EXPECT_LE(more, 6);
  const ProbeReport refused = run(job_);
  EXPECT_EQ(refused.deferral, Deferral::budget) << told(refused);
  EXPECT_EQ(refused.used(), Usage{});
}

TEST_F(SharedProbeRunTest, ARunWaitsItsTurnWithoutAnyIo) {
  ASSERT_RAN(run(job_));
  Job longer = job_;
  longer.spec.limits = {seconds{10}, Bytes{}, Ops{}};
  longer.spec.stop_early = false;
  auto holder = Process::spawn(longer, {}, test::now());
  ASSERT_TRUE(holder);
  while (!holder->progress() || holder->progress()->phase != Phase::measure) {
    ASSERT_TRUE(test::wait_readable(holder->report_fd()));
    holder->on_report_readable(test::now());
  }
  const ProbeReport put_off = run(other_host());
  EXPECT_EQ(put_off.deferral, Deferral::shared_lease) << told(put_off);
  EXPECT_EQ(put_off.used(), Usage{});
  Job latency = other_host();
  latency.spec = *find_preset("latency");
  latency.spec.limits = {milliseconds{200}, Bytes{}, Ops{}};
  EXPECT_EQ(run(latency).outcome, Outcome::ok) << "it needs no turn";
  holder->kill(test::now());
  test::serve(*holder);
  holder->collect(test::now());
  EXPECT_EQ(run(other_host()).outcome, Outcome::ok) << "the turn ends with its holder";
}

TEST_F(SharedProbeRunTest, LatencyProbesShareARate) {
  job_.spec = *find_preset("latency");
  job_.spec.limits = {milliseconds{200}, Bytes{}, Ops{}};
  job_.spec.rate = 150;
  const ProbeReport alone = run(job_);
  ASSERT_RAN(alone);
  EXPECT_EQ(alone.spec.rate, 150);
  Job second = other_host();
  const ProbeReport of_two = run(second);
  ASSERT_RAN(of_two);
  EXPECT_EQ(of_two.spec.rate, 100);
}

TEST_F(SharedProbeRunTest, NothingIsDoneUnderANewerLease) {
  std::filesystem::create_directory(dir_ / ".storage-probe");
  test::write_file(place("lease"), "storage-probe-lease 2\n");
  const ProbeReport report = run(job_);
  EXPECT_EQ(report.state, TargetState::file_conflict) << told(report);
  EXPECT_NE(told(report).find("newer version"), std::string::npos);
  EXPECT_EQ(report.deferral, std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(place("shared.dat")));
}

}  // namespace
}  // namespace storage_probe::worker
