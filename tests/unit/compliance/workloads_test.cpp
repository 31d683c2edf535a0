// SPDX-License-Identifier: Apache-2.0
// Five published benchmarks of cloud disks, whose authors could not tell whether they had got what
// they paid for: their figures, judged. docs/verdicts.md tells what they were about.
#include <gtest/gtest.h>

#include "compliance/combine.h"
#include "compliance/course.h"
#include "compliance/judge.h"
#include "compliance/terms.h"
#include "config/catalogue.h"
#include "unit/compliance/runs.h"

namespace storage_probe::compliance {
namespace {

constexpr double kMib = 1024 * 1024;

Terms terms_for(VolumeSpec volume) {
  volume.promise.from = "config";
  return terms_of(volume, {}, config::built_in_catalogue(), {}, {});
}

VolumeSpec volume(const std::string& type, double iops, double throughput) {
  VolumeSpec spec;
  spec.type = type;
  spec.promise.iops = iops;
  spec.promise.throughput = throughput;
  return spec;
}

void expect(const Judgement& judgement, Verdict verdict, Reason reason) {
  EXPECT_EQ(judgement.verdict, verdict) << judgement.detail;
  EXPECT_EQ(to_text(judgement.reason), to_text(reason)) << judgement.detail;
}

// Three reads to a write, 4 KiB each, 64 in flight.
ProbeReport database_run(std::uint64_t reads, std::uint64_t writes) {
  ProbeReport report = test::run_at("randrw", static_cast<double>(reads + writes));
  auto& operations = report.measured.operations;
  operations[Operation::read].ios = 2 * reads;
  operations[Operation::read].bytes = Bytes{2 * reads * 4096};
  operations[Operation::write].ios = 2 * writes;
  operations[Operation::write].bytes = Bytes{2 * writes * 4096};
  return report;
}

TEST(Workloads, ThreeVolumesUnderADatabaseDeliveredWhatWasBought) {
  const Terms gp3 = terms_for(volume("aws.gp3", 3000, 125e6));
  const Judgement of_gp3 = judge(database_run(2256, 753), gp3, {});
  expect(of_gp3, Verdict::compliant, Reason::ok);
  EXPECT_NEAR(*of_gp3.iops_ratio, 1.003, 0.001);
  EXPECT_NE(of_gp3.detail.find("3,009 IOPS, 100 % of the 3,000 IOPS promised"), std::string::npos);
  const Terms oracle = terms_for(volume("oci.balanced", 3000, 24e6));
  expect(judge(database_run(2256, 754), oracle, {}), Verdict::compliant, Reason::ok);
  // Its size was not published; any up to 1,000 GiB bursts to 3,000.
  VolumeSpec small;
  small.type = "aws.gp2";
  small.size = Bytes{100 * kGiB.value};
  const Terms gp2 = terms_for(small);
  EXPECT_EQ(gp2.burst.iops, 3000);
  expect(judge(database_run(2254, 753), gp2, Balance{0.5, 1}), Verdict::compliant, Reason::ok);
}

TEST(Workloads, AFastVolumeThatIsPromisedNothingIsNotJudged) {
  const Judgement vps = judge(database_run(12'000, 4'016), Terms(), {});
  expect(vps, Verdict::inconclusive, Reason::unknown_promise);
  EXPECT_NE(vps.detail.find("set volume"), std::string::npos) << vps.detail;
}

RunRecord record(double iops, std::chrono::minutes after) {
  RunRecord run;
  run.ended = WallTime(std::chrono::hours(500'000)) + after;
  run.volume_id = "vol-1";
  run.iops = iops;
  run.judgement = Judgement{};  // nothing is promised
  return run;
}

// Ten runs at one rate, and two at another.
bool is_a_drop(double usual, double now) {
  Course course;
  for (int i = 0; i < 10; ++i) course.on_run(record(usual, std::chrono::minutes(15 * i)));
  course.on_run(record(now, std::chrono::minutes(150)));
  course.on_run(record(now, std::chrono::minutes(151)));
  return course.has_confirmed_drop();
}

TEST(Workloads, RentedServersPromiseNothingAndAreComparedWithThemselves) {
  for (const double iops : {43'502.0, 8'880.0, 333.0, 118.0, 936.0, 240.0})
    expect(judge(test::run_at("randwrite", iops), Terms(), {}), Verdict::inconclusive,
           Reason::unknown_promise);
  EXPECT_FALSE(is_a_drop(936, 939));
  EXPECT_TRUE(is_a_drop(333, 118)) << "had it been one volume";
}

TEST(Workloads, AnElasticFileSystemOnCreditsGivesItsBurst) {
  ProbeReport copy = test::run_at("seqwrite", 111e6 / (256 * 1024));
  VolumeSpec filled;
  filled.type = "aws.efs.bursting";
  filled.size = Bytes{100 * kGiB.value};
  const Terms with_filler = terms_for(filled);
  filled.size = kGiB;
  const Terms without = terms_for(filled);
  EXPECT_EQ(with_filler.burst.throughput, without.burst.throughput) << "filler changes nothing";
  for (const Terms& terms : {with_filler, without})
    expect(judge(copy, terms, Balance{0.9, 1}), Verdict::compliant, Reason::ok);
  // When the credits are gone.
  copy = test::run_at("seqwrite", 5 * kMib / (256 * 1024));
  expect(judge(copy, with_filler, Balance{0, 0}), Verdict::compliant, Reason::burst_exhausted);
  // Of blocks of 64 KiB it would have to be known how many I/Os are promised, too.
  copy.spec.block_size = Bytes{64 * kKiB.value};
  expect(judge(copy, with_filler, Balance{0, 0}), Verdict::inconclusive, Reason::unknown_promise);
}

TEST(Workloads, AMirrorIsHeldToItsDisksAndAClusterToItsMirror) {
  Terms disk;
  disk.volume.read_iops = 788'000;
  disk.volume.write_iops = 690'000;
  disk.volume.from = "config";
  const Terms mirror = combined({disk, disk}, VolumeSpec::Layout::mirror);
  const auto ratio_of = [&](const char* probe, double iops) {
    return judge(test::run_at(probe, iops), mirror, {});
  };
  expect(ratio_of("randread", 1'614'000), Verdict::compliant, Reason::ok);
  expect(ratio_of("randwrite", 673'000), Verdict::compliant, Reason::ok);
  EXPECT_NEAR(*ratio_of("randread", 600'000).iops_ratio, 0.38, 0.01);
  expect(ratio_of("randwrite", 140'000), Verdict::noncompliant, Reason::below_promise);
  ProbeReport busy = test::run_at("randread", 600'000);
  busy.doubts = {Doubt::cpu_limited};
  expect(judge(busy, mirror, {}), Verdict::inconclusive, Reason::cpu_limited);
}

TEST(Workloads, ANoisyNeighbourIsADropWithoutAnyPromise) {
  EXPECT_TRUE(is_a_drop(5'569, 3'175));  // sequential reads
  EXPECT_TRUE(is_a_drop(644, 237));      // sequential writes
  EXPECT_TRUE(is_a_drop(148, 111));      // random reads
  EXPECT_TRUE(is_a_drop(651, 339));      // random writes
}

}  // namespace
}  // namespace storage_probe::compliance
