// SPDX-License-Identifier: Apache-2.0
#include "worker/child.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/unique_fd.h"
#include "support/temp_dir.h"
#include "unit/worker/drive.h"
#include "wire/job.h"

namespace storage_probe::worker {
namespace {

UniqueFd input(const std::string& text) {
  UniqueFd fd(::memfd_create("input", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(fd.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  return fd;
}

TEST(ChildDeathTest, SaysWhatIsWrongWithItsJob) {
  const UniqueFd garbage = input("garbage");
  EXPECT_EXIT(::_exit(run_worker(garbage.get(), STDOUT_FILENO)), testing::ExitedWithCode(1),
              "^worker: job: not JSON\n$");
  const UniqueFd nothing = input("");
  EXPECT_EXIT(::_exit(run_worker(nothing.get(), STDOUT_FILENO)), testing::ExitedWithCode(1),
              "not JSON");
}

TEST(ChildDeathTest, EndsQuietlyWhenNobodyListens) {
  const test::TempDir dir;
  const UniqueFd job = input(wire::encode(test::small_job(dir.path())));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  UniqueFd(ends[0]).reset();
  const UniqueFd out(ends[1]);
  EXPECT_EXIT(::_exit(run_worker(job.get(), out.get())), testing::ExitedWithCode(1), "^$");
}

TEST(Child, ReportsAFailureInsteadOfFailing) {
  const ProbeReport report = test::run(test::small_job("/no/such/directory"));
  EXPECT_EQ(report.outcome, Outcome::failed);
  EXPECT_EQ(report.state, TargetState::not_mounted);
  EXPECT_EQ(report.failure->code, "not_mounted");
}

TEST(Child, SurvivesAHostileJob) {
  Job job = test::small_job("/proc/self");
  job.spec.queue_depth = 4'000'000'000;
  job.spec.block_size = Bytes{~0ULL};
  job.procfs = "/\xff";
  job.layout_rate = -1;
  EXPECT_EQ(test::run(job).outcome, Outcome::failed);
}

}  // namespace
}  // namespace storage_probe::worker
