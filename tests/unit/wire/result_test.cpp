// SPDX-License-Identifier: Apache-2.0
#include "wire/result.h"

#include <gtest/gtest.h>

#include "unit/wire/samples.h"

namespace storage_probe::wire {
namespace {

ProbeReport finished() {
  ProbeReport report;
  report.path = "/tmp";
  report.spec.name = "randread";
  report.spec.queue_depth = 32;
  report.outcome = Outcome::ok;
  report.engine = Engine::io_uring;
  report.direct_io = true;
  report.file_bytes = kGiB;
  OperationStats& reads = report.measured.operations[Operation::read];
  reads.ios = 64;
  reads.bytes = Bytes{262144};
  reads.latency.record(std::chrono::seconds{1}, 64);
  report.measured.duration = test::seconds{2};
  report.measured.cpu_user = test::milliseconds{500};
  report.measured.used[Operation::read] = {{}, Bytes{327680}, Ops{80}};
  report.measured.elapsed = test::milliseconds{2500};
  return report;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

OperationStats many(std::uint64_t count) {
  OperationStats stats;
  stats.ios = count;
  stats.latency.record(test::milliseconds{1}, count);
  return stats;
}

std::string with_reads(std::uint64_t count) {
  ProbeReport report = finished();
  report.measured.operations[Operation::read] = many(count);
  return result_json(report, {}, {});
}

TEST(ResultJson, IsTheDocumentedObject) {
  EXPECT_EQ(result_json(finished(), {}, {}),
            R"({"path":"/tmp","probe":"randread","outcome":"ok","engine":"io_uring",)"
            R"("direct_io":true,"block_size":4096,"queue_depth":32,"file_bytes":1073741824,)"
            R"("duration_seconds":2.0,"stopped_by":"time",)"
            R"("ops":{"read":{"ios":64,"bytes":262144,"iops":32.0,"bytes_per_second":131072.0,)"
            R"("latency_seconds":{"min":1.0,"mean":1.0,"stddev":0.0,"max":1.0,)"
            R"("p50":1.0,"p90":1.0,"p95":1.0}}},)"
            R"("effective_queue_depth":32.0,"cpu_seconds":{"user":0.5,"system":0.0},)"
            R"("used":{"seconds":2.5,"bytes":327680,"ios":80}})");
}

TEST(ResultJson, NamesTheTargetDeviceIdentityAndPromiseWhereThereAre) {
  ProbeReport report = finished();
  report.target = "tmp";
  report.device = DeviceActivity{"nvme1n1", 6010, Bytes{1}, 5.0, 1.0};
  report.identity.mountpoint = "/tmp";
  report.identity.fs_type = "ext4";
  Promise promise;
  promise.iops = 3000;
  promise.from = "config";
  const std::string json = result_json(report, promise, {});
  EXPECT_TRUE(json.starts_with(R"({"target":"tmp",)"));
  EXPECT_TRUE(contains(json, R"("device":{"name":"nvme1n1","ios":6010,"other_iops":5.0})"));
  EXPECT_TRUE(contains(json, R"("identity":{"mountpoint":"/tmp","fstype":"ext4"})"));
  EXPECT_TRUE(contains(json, R"("promise":{"iops":3000.0,"from":"config"})"));
}

TEST(ResultJson, ShowsHowTheRateRanAndWhatSpeaksAgainstIt) {
  ProbeReport report = finished();
  report.measured.rings = 4;
  report.measured.profile = RateProfile{
      test::milliseconds{250}, {6000, 3000}, 0.125, false, {{6000, 3000, test::milliseconds{250}}}};
  report.measured.verification = Verification{10, 1, 2, Bytes{8192}};
  report.doubts = {Doubt::cpu_limited, Doubt::unsteady};
  const std::string json = result_json(report, {}, {});
  EXPECT_TRUE(contains(json, R"("rings":4,)"));
  EXPECT_TRUE(
      contains(json, R"("profile":{"steady":false,"mean_error_ratio":0.125,"window_seconds":0.25,)"
                     R"("iops":[6000.0,3000.0],)"
                     R"("drop":{"head_iops":6000.0,"tail_iops":3000.0,"head_seconds":0.25}})"));
  EXPECT_TRUE(contains(json, R"("verified":{"blocks":10,"torn":1,"stale":2})"));
  EXPECT_TRUE(contains(json, R"("doubts":["cpu_limited","unsteady"])"));
}

TEST(ResultJson, SaysWhyARunFailedAndWhatItUsed) {
  ProbeReport report;
  report.path = "/data";
  report.spec = *find_preset("latency");
  report.failure = Failure{"no_space", "3 GiB are missing"};
  EXPECT_EQ(result_json(report, {}, {}),
            R"({"path":"/data","probe":"latency","outcome":"failed","block_size":4096,)"
            R"("queue_depth":1,"error":{"code":"no_space","message":"3 GiB are missing"},)"
            R"("used":{"seconds":0.0,"bytes":0,"ios":0}})");
}

TEST(ResultJson, GivesOnlyPercentilesThatTheSampleCarries) {
  EXPECT_FALSE(contains(with_reads(4), "\"p50\""));
  EXPECT_TRUE(contains(with_reads(5), "\"p50\""));
  EXPECT_FALSE(contains(with_reads(28), "\"p90\""));
  EXPECT_TRUE(contains(with_reads(29), "\"p90\""));
  EXPECT_FALSE(contains(with_reads(58), "\"p95\""));
  EXPECT_TRUE(contains(with_reads(59), "\"p95\""));
  EXPECT_FALSE(contains(with_reads(999), "\"p99\""));
  EXPECT_TRUE(contains(with_reads(1000), "\"p99\""));
  EXPECT_FALSE(contains(with_reads(9999), "\"p99.9\""));
  EXPECT_TRUE(contains(with_reads(10000), "\"p99.9\""));
}

TEST(ResultJson, IncludesFsyncsOnlyWhereThereWereSome) {
  ProbeReport report = finished();
  EXPECT_FALSE(contains(result_json(report, {}, {}), "fsync"));
  report.measured.operations[Operation::fsync] = many(1);
  EXPECT_TRUE(contains(result_json(report, {}, {}), R"("fsync":{"ios":1,)"));
}

TEST(ResultJson, LeavesOutAQuantileWithoutAnUpperBound) {
  ProbeReport report = finished();
  LatencyHistogram& latency = report.measured.operations[Operation::read].latency;
  latency = {};
  latency.record(std::chrono::hours{1}, 10);
  EXPECT_FALSE(contains(result_json(report, {}, {}), "\"p50\""));
}

TEST(ResultJson, SurvivesAPathThatIsNoUtf8) {
  EXPECT_TRUE(contains(result_json(test::full_report(), {}, {}),
                       "\"path\":\"/var/lib/my\xef\xbf\xbdsql\""));
}

TEST(ResultJson, HasTheVerdictOfACapacityProbe) {
  const Judgement judgement{Verdict::noncompliant, Reason::below_promise, 0.7, 0.2, "too slow"};
  EXPECT_TRUE(contains(
      result_json(finished(), {}, judgement),
      R"("verdict":{"verdict":"noncompliant","reason":"below_promise","ratio":0.7,"iops_ratio":0.7,)"
      R"("throughput_ratio":0.2,"detail":"too slow"})"));
}

}  // namespace
}  // namespace storage_probe::wire
