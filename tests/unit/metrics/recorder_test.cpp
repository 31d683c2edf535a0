// SPDX-License-Identifier: Apache-2.0
#include "metrics/recorder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/sample_status.h"

namespace storage_probe::metrics {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::failed_report;
using test::finished_report;
using test::kNoon;
using test::sample_identity;
using test::sample_target;

// A recorder with one target, and short ways to its parts.
class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() { recorder_.configure({target_}); }

  const TargetStatus& status() { return *recorder_.find("data"); }
  const ProbeStatus& probe(std::size_t i = 0) { return status().probes.at(i); }
  std::vector<std::string> percentiles_of(std::uint64_t samples) {
    recorder_.record(finished_report(target_, "randread", samples, kNoon));
    std::vector<std::string> labels;
    for (const auto& [label, value] : probe().result->operations[Operation::read]->percentiles)
      labels.push_back(label);
    return labels;
  }

  Target target_ = sample_target("data", {"randread", "latency", "randwrite"});
  Recorder recorder_;
};

using Strings = std::vector<std::string>;

TEST_F(RecorderTest, DividesByTheMeasuredDuration) {
  recorder_.record(finished_report(target_, "randread", 6000, kNoon));
  const OperationResult& read = *probe().result->operations[Operation::read];
  EXPECT_DOUBLE_EQ(read.iops, 3000);
  EXPECT_DOUBLE_EQ(read.throughput, 3000 * 4096);
  EXPECT_EQ(probe().result->queue_depth, 32U);
  EXPECT_FALSE(probe().result->operations[Operation::write]);
}

TEST_F(RecorderTest, ShowsOnlyPercentilesThatTheSampleCanCarry) {
  EXPECT_EQ(percentiles_of(4), Strings{});
  EXPECT_EQ(percentiles_of(5), Strings{"50"});
  EXPECT_EQ(percentiles_of(28), Strings{"50"});
  EXPECT_EQ(percentiles_of(29), (Strings{"50", "90"}));
  EXPECT_EQ(percentiles_of(59), (Strings{"50", "90", "95"}));
  EXPECT_EQ(percentiles_of(999), (Strings{"50", "90", "95"}));
  EXPECT_EQ(percentiles_of(1000), (Strings{"50", "90", "95", "99"}));
  EXPECT_EQ(percentiles_of(10000), (Strings{"50", "90", "95", "99", "99.9"}));
}

TEST_F(RecorderTest, LeavesOutAPercentileInTheOpenBucket) {
  ProbeReport report = finished_report(target_, "randread", 0, kNoon);
  report.measured.operations[Operation::read].latency.record(std::chrono::hours{1}, 100);
  recorder_.record(report);
  EXPECT_TRUE(probe().result->operations[Operation::read]->percentiles.empty());
}

TEST_F(RecorderTest, TakesIopsTimesMeanLatencyForTheEffectiveQueueDepthOfCapacityProbes) {
  ProbeReport report = finished_report(target_, "randread", 0, kNoon);
  report.measured.operations[Operation::read].ios = 6000;
  report.measured.operations[Operation::read].latency.record(milliseconds{10}, 6000);
  recorder_.record(report);
  EXPECT_NEAR(*probe().result->effective_queue_depth, 30.0, 1e-9);
  recorder_.record(finished_report(target_, "latency", 200, kNoon));
  EXPECT_FALSE(probe(1).result->effective_queue_depth);
}

TEST_F(RecorderTest, ShowsAVolumeThatCompletedNothingAsZeroIops) {
  recorder_.record(finished_report(target_, "randread", 0, kNoon));
  EXPECT_EQ(probe().result->operations[Operation::read]->iops, 0);
}

TEST_F(RecorderTest, SurvivesARunWithoutDuration) {
  ProbeReport report = finished_report(target_, "randread", 10, kNoon);
  report.measured.duration = {};
  recorder_.record(report);
  EXPECT_EQ(probe().result->operations[Operation::read]->iops, 0);
  EXPECT_FALSE(probe().result->effective_queue_depth);
}

TEST_F(RecorderTest, CarriesTheOtherLoadAndThePromise) {
  target_.volume.promise.iops = 3000;
  recorder_.configure({target_});
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  EXPECT_EQ(probe().result->other_iops, 5.0);
  EXPECT_EQ(probe().result->other_throughput, 20480.0);
  EXPECT_EQ(probe().result->promise.iops, 3000);
}

TEST_F(RecorderTest, PutsEachLatencyIntoItsBucketOnce) {
  ProbeReport report = finished_report(target_, "latency", 0, kNoon);
  LatencyHistogram& latency = report.measured.operations[Operation::read].latency;
  latency.record(std::chrono::microseconds{5}, 2);
  latency.record(std::chrono::microseconds{300}, 3);
  latency.record(minutes{1}, 4);
  recorder_.record(report);
  recorder_.record(report);
  const CumulativeLatency& total = probe(1).latency[Operation::read];
  EXPECT_EQ(total.counts[0], 4U);      // up to 10 us
  EXPECT_EQ(total.counts[5], 6U);      // 250 us to 500 us
  EXPECT_EQ(total.counts.back(), 8U);  // above 30 s
  EXPECT_EQ(std::accumulate(total.counts.begin(), total.counts.end(), std::uint64_t{0}), 18U);
  EXPECT_NEAR(total.sum_seconds, 480.00182, 1e-6);
}

TEST_F(RecorderTest, KeepsAFailedRunOutOfHistogramsAndResultsButCountsItsCost) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  report.outcome = Outcome::timed_out;
  report.failure = Failure{"timed_out", "overdue"};
  recorder_.record(report);
  EXPECT_FALSE(probe().result);
  EXPECT_EQ(probe().latency[Operation::read].sum_seconds, 0);
  EXPECT_EQ(probe().spent[Operation::read].ops.value, 112U);
  EXPECT_EQ(probe().runs.at(Outcome::timed_out), 1U);
  EXPECT_EQ(probe().last_succeeded, false);
  EXPECT_EQ(probe().last_run, kNoon);
  EXPECT_FALSE(probe().last_success);
}

TEST_F(RecorderTest, KeepsTheLastResultWhenARunFails) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  recorder_.record(failed_report(target_, "randread", Outcome::failed, {"busy", "others"}, kNoon));
  EXPECT_TRUE(probe().result);
  EXPECT_EQ(probe().last_success, kNoon);
}

TEST_F(RecorderTest, CountsLayoutErrorsAndRetriesForTheTarget) {
  ProbeReport report =
      failed_report(target_, "randread", Outcome::failed, {"io_error", "x"}, kNoon);
  report.layout[Operation::write] = {{}, kMiB, {2}};
  report.measured.errors = {{"EIO", 2}, {"other", 1}};
  report.measured.retries = 4;
  recorder_.record(report);
  recorder_.record(report);
  EXPECT_EQ(status().layout_spent[Operation::write].bytes.value, 2 * kMiB.value);
  EXPECT_EQ(status().io_errors.at("EIO"), 4U);
  EXPECT_EQ(status().io_errors.at("other"), 2U);
  EXPECT_EQ(status().io_retries, 8U);
}

TEST_F(RecorderTest, CountsSkipsByReason) {
  recorder_.skipped("data", "latency", "hold");
  recorder_.skipped("data", "latency", "hold");
  recorder_.skipped("gone", "latency", "hold");
  EXPECT_EQ(probe(1).skipped.at("hold"), 2U);
  EXPECT_TRUE(probe().skipped.empty());
}

TEST_F(RecorderTest, TakesStateAndMessageFromTheReport) {
  recorder_.record(failed_report(target_, "randread", Outcome::failed,
                                 {"no_space", "needs 1 GiB, has 2 MiB"}, kNoon));
  EXPECT_EQ(status().state, TargetState::no_space);
  EXPECT_EQ(status().message, "needs 1 GiB, has 2 MiB");
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  EXPECT_EQ(status().state, TargetState::ready);
  EXPECT_EQ(status().message, "");
}

TEST_F(RecorderTest, TakesAnErrorDuringTheRunForTheStateAlthoughPreflightWasGood) {
  ProbeReport report =
      failed_report(target_, "randread", Outcome::failed, {"io_error", "EIO"}, kNoon);
  report.state = TargetState::ready;
  recorder_.record(report);
  EXPECT_EQ(status().state, TargetState::io_error);
}

TEST_F(RecorderTest, KeepsTheStateWhenAWorkerDiedBeforeItCouldLook) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  recorder_.record(
      failed_report(target_, "randread", Outcome::failed, {"worker_failed", "signal 9"}, kNoon));
  EXPECT_EQ(status().state, TargetState::ready);
  EXPECT_EQ(status().message, "");
  EXPECT_EQ(status().file_bytes, kGiB);
}

TEST_F(RecorderTest, SaysWhyATargetThatNobodyCouldLookAtIsUnknown) {
  recorder_.record(
      failed_report(target_, "randread", Outcome::failed, {"worker_failed", "signal 9"}, kNoon));
  EXPECT_EQ(status().state, TargetState::unknown);
  EXPECT_EQ(status().message, "signal 9");
}

TEST_F(RecorderTest, CallsATargetStuckWhenItsWorkerIs) {
  recorder_.record(failed_report(target_, "randread", Outcome::stuck, {"stuck", "state D"}, kNoon));
  EXPECT_EQ(status().state, TargetState::stuck);
  EXPECT_EQ(status().message, "state D");
}

TEST_F(RecorderTest, KnowsWhetherDirectIoWorks) {
  EXPECT_FALSE(status().direct_io);
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  EXPECT_EQ(status().direct_io, true);
  recorder_.record(
      failed_report(target_, "randread", Outcome::failed, {"direct_io_rejected", "tmpfs"}, kNoon));
  EXPECT_EQ(status().direct_io, false);
}

TEST_F(RecorderTest, CountsAnotherVolumeBehindTheTarget) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  recorder_.record(report);
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);  // the first is not a change
  report.identity = sample_identity("vol-0def");
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 1U);
  EXPECT_EQ(status().identity.volume_id, "vol-0def");
}

TEST_F(RecorderTest, DoesNotTakeAnotherKernelNameForAnotherVolume) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  recorder_.record(report);
  report.identity.device = "nvme2n1";
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);
  EXPECT_EQ(status().identity.device, "nvme2n1");
}

TEST_F(RecorderTest, DoesNotTakeAVolumeIdThatAppearsForAnotherVolume) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  report.identity.volume_id.clear();
  report.identity.devices = {{"nvme1n1", "259:1", "", true}};
  recorder_.record(report);
  report.identity = sample_identity("vol-0abc");
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);
  EXPECT_EQ(status().identity.volume_id, "vol-0abc");
}

TEST_F(RecorderTest, ComparesTheVolumesThatAStackIsMadeOf) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  const auto stack_of = [](const char* first, const char* second) {
    MountIdentity identity{"/data", "xfs", "/dev/md0", "md0", "", "", "", "", {}};
    identity.devices = {{"md0", "9:0", "", false},
                        {"nvme1n1", "259:1", first, true},
                        {"nvme2n1", "259:2", second, true}};
    return identity;
  };
  report.identity = stack_of("vol-a", "vol-b");
  recorder_.record(report);
  report.identity = stack_of("vol-b", "vol-a");
  report.identity.device = "md127";
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);
  report.identity = stack_of("vol-a", "vol-c");
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 1U);
}

TEST_F(RecorderTest, KnowsALogicalVolumeByItsName) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  report.identity = {"/data", "xfs", "/dev/mapper/vg-data", "dm-0", "", "", "", "", {}};
  recorder_.record(report);
  report.identity.device = "dm-1";
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);
}

TEST_F(RecorderTest, ComparesSourcesWhereThereIsNoDevice) {
  ProbeReport report = finished_report(target_, "randread", 100, kNoon);
  report.identity = {"/data", "nfs4", "fs-1:/a", "", "", "", "", "fs-1", {}};
  recorder_.record(report);
  report.identity.source = "fs-2:/a";
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 1U);
}

TEST_F(RecorderTest, DoesNotTakeTheFileSystemBelowForTheTargets) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  ProbeReport report =
      failed_report(target_, "randread", Outcome::failed, {"not_mounted", "on /"}, kNoon);
  report.identity = sample_identity("vol-root");
  recorder_.record(report);
  EXPECT_EQ(status().identity_changes, 0U);
  EXPECT_EQ(status().identity.volume_id, "vol-0abc");
}

TEST_F(RecorderTest, BelievesTheOperatorAboutTheVolumeType) {
  target_.volume.type = "custom";
  recorder_.configure({target_});
  EXPECT_EQ(status().identity.volume_type, "custom");
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  EXPECT_EQ(status().identity.volume_type, "custom");
}

TEST_F(RecorderTest, LetsResultsAgeOutButNothingElse) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  const auto limit = kNoon + 3 * minutes{15};
  EXPECT_TRUE(recorder_.statuses(limit)[0].probes[0].result);
  const ProbeStatus old = recorder_.statuses(limit + seconds{1})[0].probes[0];
  EXPECT_FALSE(old.result);
  EXPECT_EQ(old.last_succeeded, true);
  EXPECT_EQ(old.last_run, kNoon);
  EXPECT_EQ(old.last_success, kNoon);
  EXPECT_EQ(old.runs.at(Outcome::ok), 1U);
}

TEST_F(RecorderTest, KeepsResultsOfFrequentProbesForThreeMinutes) {
  target_.probes[1].every = seconds{10};
  recorder_.configure({target_});
  recorder_.record(finished_report(target_, "latency", 100, kNoon));
  EXPECT_TRUE(recorder_.statuses(kNoon + minutes{3})[0].probes[1].result);
  EXPECT_FALSE(recorder_.statuses(kNoon + minutes{3} + seconds{1})[0].probes[1].result);
}

TEST_F(RecorderTest, KnowsWhenAResultAgedOut) {
  recorder_.record(finished_report(target_, "latency", 100, kNoon));
  const auto limit = kNoon + minutes{3};
  EXPECT_FALSE(recorder_.aged_out_between(kNoon, limit));
  EXPECT_TRUE(recorder_.aged_out_between(limit, limit + seconds{1}));
  EXPECT_FALSE(recorder_.aged_out_between(limit + seconds{1}, limit + seconds{2}));
}

TEST_F(RecorderTest, KeepsFiguresOfWhatStaysAndForgetsWhatGoes) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  recorder_.record(finished_report(target_, "latency", 100, kNoon));
  target_.probes.erase(target_.probes.begin() + 1);
  target_.probes[0].every = minutes{30};
  target_.labels = {{"team", "x"}};
  recorder_.configure({sample_target("new", {"latency"}), target_});
  EXPECT_EQ(recorder_.statuses(kNoon)[0].name, "new");
  ASSERT_EQ(status().probes.size(), 2U);
  EXPECT_EQ(probe().runs.at(Outcome::ok), 1U);
  EXPECT_EQ(probe().every, minutes{30});
  EXPECT_EQ(status().labels.at("team"), "x");
  recorder_.configure({});
  EXPECT_EQ(recorder_.find("data"), nullptr);
}

TEST_F(RecorderTest, KeepsCountersButNotTheStateOfATargetThatMoved) {
  recorder_.record(finished_report(target_, "randread", 100, kNoon));
  target_.path = "/elsewhere";
  recorder_.configure({target_});
  EXPECT_EQ(status().state, TargetState::unknown);
  EXPECT_EQ(status().identity, MountIdentity());
  EXPECT_EQ(status().path, "/elsewhere");
  EXPECT_EQ(probe().runs.at(Outcome::ok), 1U);
}

TEST_F(RecorderTest, NamesADeviceTargetByItsDevice) {
  target_.path.clear();
  target_.device = "/dev/nvme2n1";
  recorder_.configure({target_});
  EXPECT_EQ(status().path, "/dev/nvme2n1");
}

TEST_F(RecorderTest, IgnoresReportsOfTargetsThatAreGone) {
  recorder_.record(finished_report(sample_target("gone", {"latency"}), "latency", 1, kNoon));
  EXPECT_EQ(recorder_.statuses(kNoon).size(), 1U);
}

TEST_F(RecorderTest, CountsForTheTargetWhatAProbeThatIsGoneStillReports) {
  ProbeReport report = finished_report(target_, "randread", 1, kNoon);
  report.spec.name = "gone";
  report.measured.errors = {{"EIO", 1}};
  recorder_.record(report);
  EXPECT_EQ(status().io_errors.at("EIO"), 1U);
  EXPECT_TRUE(probe().runs.empty());
}

}  // namespace
}  // namespace storage_probe::metrics
