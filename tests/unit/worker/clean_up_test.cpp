// SPDX-License-Identifier: Apache-2.0
#include "worker/clean_up.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temp_dir.h"
#include "unit/worker/drive.h"

namespace storage_probe::worker {
namespace {

namespace fs = std::filesystem;

class CleanUpTest : public ::testing::Test {
 protected:
  CleanUpTest() : job_(test::small_job(dir_.path())) {
    job_.target.file.mode = ProbeFileSpec::Mode::managed;
  }

  test::TempDir dir_;
  Job job_;
};

TEST_F(CleanUpTest, RemovesWhatAProbeHasMade) {
  if (test::run(job_).outcome != Outcome::ok) GTEST_SKIP() << "no probe can run here";
  ASSERT_FALSE(fs::is_empty(dir_.path()));
  job_.errand = Errand::clean_up;
  auto process = Process::spawn(job_, {}, test::now());
  ASSERT_TRUE(process && test::serve(*process));
  EXPECT_EQ(process->collect(test::now()).outcome, Outcome::ok);
  EXPECT_EQ(process->cleaned().size(), 3U) << "the file, the tag, the directory";
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(CleanUpTest, SaysWhyItCouldNotLook) {
  job_.errand = Errand::clean_up;
  job_.target.path = dir_ / "missing";
  const ProbeReport report = test::run(job_);
  EXPECT_EQ(report.outcome, Outcome::failed);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->code, "not_mounted");
}

}  // namespace
}  // namespace storage_probe::worker
