// SPDX-License-Identifier: Apache-2.0
// Real workers on real files, with counters of our own in place of the kernel's.
#include "worker/measuring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "support/fake_sysfs.h"
#include "unit/worker/drive.h"

namespace storage_probe::worker {
namespace {

bool has(const ProbeReport& report, Doubt doubt) {
  return std::find(report.doubts.begin(), report.doubts.end(), doubt) != report.doubts.end();
}

class MeasuringTest : public testing::Test {
 protected:
  MeasuringTest() : job_(test::small_job(dir_.path())) { job_.sysfs = sysfs_.path(); }

  // Runs with a disk under the directory whose counters stand still. False: there is none.
  bool run_with_still_counters() {
    struct ::stat facts {};
    ::stat(dir_.path().c_str(), &facts);
    if (major(facts.st_dev) == 0) return false;
    sysfs_.add_disk(
        "fake", std::to_string(major(facts.st_dev)) + ":" + std::to_string(minor(facts.st_dev)));
    report_ = test::run(job_);
    return report_.outcome == Outcome::ok;
  }

  test::TempDir dir_;
  test::FakeSysfs sysfs_;
  Job job_;
  ProbeReport report_;
};

// openzfs/zfs#10018, QubesOS/qubes-issues#9488
TEST_F(MeasuringTest, DoubtsARunThatItsDeviceDidNotSee) {
  if (!run_with_still_counters()) GTEST_SKIP() << "no block device, or no direct I/O, here";
  EXPECT_TRUE(has(report_, Doubt::cache_suspect));
  ASSERT_TRUE(report_.device);
  EXPECT_EQ(report_.device->ios, 0U);
  EXPECT_EQ(report_.device->other_iops, 0);
  EXPECT_TRUE(std::is_sorted(report_.doubts.begin(), report_.doubts.end()));
}

TEST_F(MeasuringTest, DoesNotDoubtWhatNothingCounts) {
  const ProbeReport report = test::run(job_);
  if (report.outcome != Outcome::ok) GTEST_SKIP() << "no direct I/O where temporary files are";
  EXPECT_FALSE(report.device);
  EXPECT_FALSE(has(report, Doubt::cache_suspect));
  EXPECT_TRUE(has(report, Doubt::too_few_samples)) << "50 reads";
}

// axboe/fio#1394: a slow-rate probe is not compared with a loaded one, and has nothing to doubt.
TEST_F(MeasuringTest, HasNoDoubtsAboutALatencyProbe) {
  job_.spec = *find_preset("latency");
  job_.spec.rate = 100;
  job_.spec.limits = {std::chrono::milliseconds{200}, Bytes{}, Ops{}};
  if (!run_with_still_counters()) GTEST_SKIP() << "no block device, or no direct I/O, here";
  EXPECT_TRUE(report_.doubts.empty());
}

}  // namespace
}  // namespace storage_probe::worker
