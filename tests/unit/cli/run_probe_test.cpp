// SPDX-License-Identifier: Apache-2.0
// With real children: this program is its own worker.
#include "cli/run_probe.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

Job job_on(const std::filesystem::path& path) {
  Job job;
  job.target.path = path;
  job.target.any_directory = true;
  job.target.file.mode = ProbeFileSpec::Mode::unnamed;
  job.target.file.size = Bytes{16 * kMiB.value};
  job.target.space = {0, kMiB};
  job.spec = *find_preset("randread");
  job.spec.queue_depth = 4;
  job.spec.limits = {std::chrono::seconds(5), {}, Ops{300}};
  job.layout_allowance = kUnlimited;
  return job;
}

TEST(RunProbe, BringsBackTheReportAndShowsProgressOnTheWay) {
  const TempDir data;
  int lines = 0;
  const ProbeReport report = run_probe(job_on(data.path()), {}, [&](const Progress&) { ++lines; });
  if (report.state != TargetState::ready) GTEST_SKIP() << report.failure->message;
  EXPECT_EQ(report.outcome, Outcome::ok) << (report.failure ? report.failure->message : "");
  EXPECT_EQ(report.measured.used[Operation::read].ops.value, 300U);
  EXPECT_GT(lines, 0);
  EXPECT_TRUE(std::filesystem::is_empty(data.path())) << "the unnamed file is gone";
}

TEST(RunProbe, APathThatIsMissingIsAReportNotACrash) {
  const TempDir data;
  const ProbeReport report = run_probe(job_on(data / "none"), {}, [](const Progress&) {});
  EXPECT_EQ(report.outcome, Outcome::failed);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->code, "not_mounted");
}

}  // namespace
}  // namespace storage_probe::cli
