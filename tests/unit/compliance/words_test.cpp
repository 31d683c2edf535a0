// SPDX-License-Identifier: Apache-2.0
#include "compliance/words.h"

#include <gtest/gtest.h>

#include "compliance/judge.h"
#include "unit/compliance/runs.h"

namespace storage_probe::compliance {
namespace {

using test::add_others;
using test::promised;
using test::run_at;

// ovh/public-cloud-roadmap#45: a flat 6,000 at a latency that is pinned to 21.3 ms.
TEST(Words, SayWhatAProviderNeedsToHear) {
  ProbeReport report = run_at("randread", 6'009);
  report.spec.queue_depth = 128;
  LatencyHistogram& latency = report.measured.operations[Operation::read].latency;
  latency = {};
  latency.record(std::chrono::microseconds(21'300), 12'018);
  EXPECT_EQ(judge(report, promised(20'000), {}).detail,
            "a flat 6,009 IOPS, 30 % of the 20,000 IOPS promised; 128 in flight / 21.3 ms each = "
            "6,009 IOPS: the volume was kept busy");
}

TEST(Words, SayWhoseIoItWas) {
  ProbeReport report = run_at("randread", 1'500);
  add_others(report, 1'500, Bytes{4096});
  EXPECT_EQ(judge(report, promised(3'000), {}).detail,
            "a flat 3,000 IOPS, 100 % of the 3,000 IOPS promised, 1,500 IOPS of others on nvme1n1 "
            "included");
}

TEST(Words, SpeakOfBytesWhereTheyDecide) {
  const std::string detail = judge(run_at("seqread", 500), promised(0, 125 * 1048576.0), {}).detail;
  EXPECT_EQ(detail, "a flat 125 MiB/s, 100 % of the 125 MiB/s promised");
}

// runs-on/terraform-aws-runs-on#37: a file system of 58 GiB that is out of credits.
TEST(Words, TellHowToGetMoreThanABaseline) {
  Terms terms = promised(0, 2.83 * 1048576);
  terms.type = "aws.efs.bursting";
  terms.burst.throughput = 100 * 1048576.0;
  const std::string detail = judge(run_at("seqread", 2.85 * 4), terms, Balance{0, 0}).detail;
  EXPECT_NE(detail.find("throughput mode"), std::string::npos) << detail;
}

TEST(Words, TellWhatIsMissing) {
  EXPECT_EQ(judge(run_at("randread", 3000), Terms(), {}).detail,
            "a flat 3,000 IOPS: nothing is known to be promised: set volume");
  Terms terms;
  terms.note = "the catalogue has no type aws.gp33: set volume.iops and volume.throughput";
  EXPECT_EQ(judge(run_at("randread", 3000), terms, {}).detail, "a flat 3,000 IOPS: " + terms.note);
  EXPECT_EQ(judge(run_at("seqread", 500), promised(3000), {}).detail,
            "a flat 125 MiB/s: no promise that blocks of 256KiB are judged by: set volume.iops and "
            "volume.throughput");
}

}  // namespace
}  // namespace storage_probe::compliance
