// SPDX-License-Identifier: Apache-2.0
#include "worker/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <iterator>

#include "support/temp_dir.h"
#include "unit/worker/drive.h"
#include "wire/report.h"
#include "worker/target_lock.h"

namespace storage_probe::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::now;
using test::shell;

Process start(const std::string& script, const Job& job = {}) {
  auto process = Process::spawn(job, {}, now(), shell(script));
  if (!process) throw std::runtime_error(process.error().message);
  return *std::move(process);
}

ProbeReport report_of(const std::string& script) {
  Process process = start(script);
  EXPECT_TRUE(test::serve(process));
  return process.collect(now());
}

// A shell word that prints `line` and a newline.
std::string print(std::string line) {
  line.pop_back();
  return "echo '" + line + "'";
}

std::string a_report() {
  ProbeReport report;
  report.target = "another";
  report.outcome = Outcome::ok;
  return print(wire::encode(report));
}

void expect_failed(const ProbeReport& report, const std::string& message) {
  EXPECT_EQ(report.outcome, Outcome::failed);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->code, "worker_failed");
  EXPECT_EQ(report.failure->message, message);
}

TEST(Process, ReturnsWhatTheChildReports) {
  Job job;
  job.target.name = "db";
  job.target.path = "/data";
  Process process = start(a_report(), job);
  ASSERT_TRUE(test::serve(process));
  const ProbeReport report = process.collect(now());
  EXPECT_EQ(report.outcome, Outcome::ok);
  EXPECT_EQ(report.target, "db") << "a child cannot speak for another target";
  EXPECT_EQ(report.path, "/data");
}

TEST(Process, GivesTheChildItsJob) {
  Process process = start("grep -q '\"host_id\":\"\"' && " + a_report());
  ASSERT_TRUE(test::serve(process));
  EXPECT_EQ(process.collect(now()).outcome, Outcome::ok);
}

TEST(Process, KeepsTheLastProgress) {
  Process process = start(print(wire::encode(Progress{Phase::open, 0, {}, 0})) + "; " +
                          print(wire::encode(Progress{Phase::layout, 0.5, {}, 0})));
  ASSERT_TRUE(test::serve(process));
  ASSERT_TRUE(process.progress());
  EXPECT_EQ(process.progress()->phase, Phase::layout);
  process.collect(now());
}

TEST(Process, MakesAReportForAChildThatBringsNone) {
  expect_failed(report_of("exit 3"), "worker ended with exit status 3 and no report");
  expect_failed(report_of("kill -SEGV $$"), "worker died by SIGSEGV");
  expect_failed(report_of("printf '{\"rep'"), "worker ended with exit status 0 and no report");
}

TEST(Process, ReportsAProgramThatCannotBeStarted) {
  auto process = Process::spawn({}, {}, now(), {"/nonexistent/program"});
  ASSERT_TRUE(process);
  ASSERT_TRUE(test::serve(*process));
  expect_failed(process->collect(now()), "worker could not be started");
}

TEST(Process, KillsAChildThatWritesGarbage) {
  const std::string complaint = "worker wrote what no worker writes: ";
  expect_failed(report_of("echo garbage; exec sleep 60"), complaint + "line: not JSON");
  expect_failed(report_of("exec cat /dev/zero"), complaint + "an endless line");
  expect_failed(report_of(a_report() + "; " + a_report() + "; exec sleep 60"),
                complaint + "a line after its report");
  expect_failed(report_of(print(wire::encode(ProbeReport{})) + "; exec sleep 60"),
                complaint + "a report that contradicts itself");
}

TEST(Process, SaysTimedOutOnlyOfTheOverdue) {
  Process overdue = start("exec sleep 60");
  overdue.kill(overdue.deadline());
  ASSERT_TRUE(test::serve(overdue));
  const ProbeReport report = overdue.collect(now());
  EXPECT_EQ(report.outcome, Outcome::timed_out);
  EXPECT_EQ(report.failure->code, "timed_out");
  EXPECT_EQ(report.failure->message, "worker did not end in time, in phase open");

  Process stopped = start("exec sleep 60");
  stopped.kill(now());
  ASSERT_TRUE(test::serve(stopped));
  expect_failed(stopped.collect(now()), "worker was stopped");
}

TEST(Process, KeepsTheTimeOfTheFirstKill) {
  Process process = start("exec sleep 60");
  const SteadyTime first = now();
  process.kill(first);
  process.kill(first + seconds{1});
  EXPECT_EQ(process.killed_at(), first);
  ASSERT_TRUE(test::serve(process));
  process.collect(now());
}

// The deadline after the child has printed `lines`, from the start and its limit of 3 s.
Duration deadline_after(const std::string& lines) {
  Job job;
  job.spec.limits.time = seconds{3};
  Process process = start(lines + " exec sleep 60", job);
  const SteadyTime begin = now();
  while (!lines.empty() && !process.progress()) {
    test::wait_readable(process.report_fd());
    process.on_report_readable(begin);
  }
  const Duration left = process.deadline() - begin;
  process.kill(now());
  test::serve(process);
  process.collect(now());
  return left;
}

TEST(Process, AllowsTenSecondsOfSilence) {
  EXPECT_NEAR(to_seconds(deadline_after("")), 10, 0.5);
  EXPECT_EQ(deadline_after(print(wire::encode(Progress{Phase::layout, 0, {}, 0})) + ";"),
            seconds{10});
}

TEST(Process, AllowsFiveSecondsMoreThanTheLimitForMeasuring) {
  EXPECT_EQ(deadline_after(print(wire::encode(Progress{Phase::measure, 0, {}, 0})) + ";"),
            seconds{8});
}

TEST(Process, ReportsAStuckChildWithWhatItBrought) {
  Process process = start("exec sleep 60");
  process.kill(now());
  const ProbeReport report = process.stuck_report(*process.killed_at() + seconds{2});
  EXPECT_EQ(report.outcome, Outcome::stuck);
  EXPECT_EQ(report.state, TargetState::stuck);
  EXPECT_EQ(report.failure->code, "stuck");
  EXPECT_EQ(report.failure->message,
            "worker does not die: 2 s after SIGKILL it still waits for "
            "the kernel, process " +
                std::to_string(process.pid()));
  ASSERT_TRUE(test::serve(process));
  process.collect(now());
}

TEST(Process, HandsTheLockToTheChild) {
  const test::TempDir dir;
  auto lock = lock_target(dir.path(), "db");
  ASSERT_TRUE(lock);
  auto process = Process::spawn({}, *std::move(lock), now(), shell("exec sleep 60"));
  ASSERT_TRUE(process);
  EXPECT_EQ(lock_target(dir.path(), "db").error().code, Errc::busy) << "we closed our copy";
  process->kill(now());
  ASSERT_TRUE(test::serve(*process));
  process->collect(now());
  EXPECT_TRUE(lock_target(dir.path(), "db"));
}

TEST(Process, GivesTheChildNoOtherDescriptors) {
  const UniqueFd leaky(::dup(STDERR_FILENO));  // as a library would: without O_CLOEXEC
  // ls itself opens one more, for /proc/self/fd.
  expect_failed(report_of("exit $(ls /proc/self/fd | wc -l)"),
                "worker ended with exit status 4 and no report");
}

TEST(Process, ClearsTheSignalMaskOfTheChild) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ProbeReport report = report_of("kill -TERM $$; exit 1");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  expect_failed(report, "worker died by SIGTERM");
}

TEST(Process, LeavesNeitherDescriptorsNorZombies) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = open_files();
  for (int i = 0; i < 50; ++i) report_of("exit 0");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "there is a child left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, RefusesAJobThatIsTooLong) {
  Job job;
  job.target.labels["long"] = std::string(wire::kMaxLine.value * 5, 'x');
  const auto process = Process::spawn(job, {}, now());
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().message, "start worker: job: longer than 1MiB");
}

}  // namespace
}  // namespace storage_probe::worker
