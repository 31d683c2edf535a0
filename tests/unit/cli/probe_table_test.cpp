// SPDX-License-Identifier: Apache-2.0
#include "cli/probe_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

namespace storage_probe::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

ProbeReport finished_run() {
  ProbeReport report;
  report.path = "/data";
  report.spec = *find_preset("randread");
  report.spec.queue_depth = 32;
  report.outcome = Outcome::ok;
  report.state = TargetState::ready;
  report.engine = Engine::io_uring;
  report.identity.mountpoint = "/data";
  report.identity.fs_type = "ext4";
  report.identity.source = "/dev/nvme1n1";
  report.file_bytes = kGiB;
  Measurement& measured = report.measured;
  measured.duration = seconds(2);
  measured.elapsed = milliseconds(2250);
  measured.cpu_user = milliseconds(2);
  measured.cpu_system = milliseconds(4);
  OperationStats& read = measured.operations[Operation::read];
  read.ios = 2000;
  read.bytes = Bytes{2000 * 4096};
  read.latency.record(milliseconds(30), 2000);
  measured.used[Operation::read] = {{}, Bytes{2250 * 4096}, Ops{2250}};
  return report;
}

// All that a run can bring, each figure as wide as it gets.
ProbeReport rich_run() {
  ProbeReport report = finished_run();
  report.spec = *find_preset("randrw");
  report.spec.queue_depth = 1024;
  report.spec.fsync_every = 32;
  Measurement& measured = report.measured;
  measured.stopped_by = StopReason::certain;
  measured.rings = 8;
  OperationStats& write = measured.operations[Operation::write];
  write.ios = 1'230'000;
  write.bytes = Bytes{write.ios * 1023 * kMiB.value / 2000};
  write.latency.record(microseconds(1234), 1'200'000);
  write.latency.record(seconds(1), 30'000);
  measured.operations[Operation::fsync].ios = 40;
  measured.operations[Operation::fsync].latency.record(microseconds(1230), 40);
  measured.profile = RateProfile{milliseconds(100),
                                 {3000, 3010, 1000, 1005},
                                 0.123,
                                 false,
                                 RateDrop{3005, 1002, milliseconds(1230)}};
  measured.verification = Verification{512, 1, 2, {}};
  report.device = DeviceActivity{"nvme1n1", 2260, Bytes{2260 * 4096}, 5, 20480};
  report.doubts = {Doubt::clock_suspect, Doubt::cache_suspect, Doubt::too_few_samples,
                   Doubt::cpu_limited,   Doubt::unsteady,      Doubt::queue_depth_limited};
  return report;
}

// In characters, not bytes: those that continue a UTF-8 character are not counted.
std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

void expect_parts(const std::string& text, std::vector<const char*> parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(ProbeTable, IsThisForASimpleRun) {
  EXPECT_EQ(probe_table(finished_run(), {}, {}),
            "randread of /data (ext4, /dev/nvme1n1)\n"
            "  4KiB random reads, 32 in flight\n"
            "  2 s measured (limit of time), direct I/O by io_uring, file of 1 GiB\n"
            "\n"
            "  op     IOPS throughput    mean     p50     p90     p95     p99     max\n"
            "  read     1k 3.91 MiB/s   30 ms   30 ms   30 ms   30 ms   30 ms   30 ms\n"
            "\n"
            "  latency of 2k reads\n"
            "    to   30 ms  100.0 %  ############################################\n"
            "\n"
            "  effort  3 us of CPU an I/O, 30 of 32 in flight\n"
            "  used    2.25 s, 2.25k I/Os, 8.79 MiB\n");
}

TEST(ProbeTable, ShowsAllThatARunCanBring) {
  expect_parts(probe_table(rich_run(), {}, {}),
               {"4KiB random, 75 % reads, 1024 in flight, fsync every 32 writes", "certain by then",
                "  rate    ##::  1k to 3.01k IOPS, not steady", "mean +- 12.3 %",
                "  fell    from 3k to 1k IOPS, 1.23 s after the warm-up", ", 8 rings",
                "  check   512 blocks read back, 1 torn, 2 stale", "others on nvme1n1: 5 IOPS",
                "  doubt   cpu_limited: the processor was the limit, not the volume"});
}

TEST(ProbeTable, GivesNoIntervalThatNobodyBelieves) {
  ProbeReport report = rich_run();
  report.measured.profile->mean_error = 0.51;
  expect_parts(probe_table(report, {}, {}), {", mean unknown\n"});
}

TEST(ProbeTable, NamesTheTargetAndTheMountThatAPathIsOn) {
  ProbeReport report = finished_run();
  report.target = "db";
  report.path = "/data/mysql";
  expect_parts(probe_table(report, {}, {}),
               {"randread of db: /data/mysql, on /data (ext4, /dev/nvme1n1)\n"});
  report.identity = {};
  report.path = "/dev/nvme1n1";
  expect_parts(probe_table(report, {}, {}), {"randread of db: /dev/nvme1n1\n"});
}

TEST(ProbeTable, BlocksThatWereAllAsWrittenAreSaidSo) {
  ProbeReport report = finished_run();
  report.measured.verification = Verification{512, 0, 0, {}};
  expect_parts(probe_table(report, {}, {}), {"512 blocks read back, all as written"});
}

TEST(ProbeTable, LeavesOutAPercentileThatTheSampleCannotCarry) {
  EXPECT_EQ(probe_table(finished_run(), {}, {}).find("p99.9"), std::string::npos);
  const std::string text = probe_table(rich_run(), {}, {});
  const std::string row = text.substr(text.find("  read"));
  EXPECT_NE(row.find(" - "), std::string::npos) << "p99.9 of 2,000 samples: " << row;
}

TEST(ProbeTable, FitsATerminalOfEightyColumns) {
  for (const Glyphs glyphs : {Glyphs::ascii, Glyphs::blocks}) {
    std::istringstream text(probe_table(rich_run(), {}, {glyphs, Ink::plain}));
    for (std::string line; std::getline(text, line);) EXPECT_LE(columns(line), 80U) << line;
  }
}

TEST(ProbeTable, IsColouredOnlyWhereColoursAreWanted) {
  EXPECT_EQ(probe_table(rich_run(), {}, {}).find('\x1b'), std::string::npos);
  EXPECT_NE(probe_table(rich_run(), {}, {Glyphs::ascii, Ink::coloured}).find("\x1b[33m"),
            std::string::npos);
}

TEST(ProbeTable, AFailureNamesThePathTheStateAndTheCure) {
  ProbeReport report = finished_run();
  report.outcome = Outcome::failed;
  report.failure = Failure{"not_a_disk", "/data is a tmpfs: choose a path on a disk"};
  EXPECT_EQ(failure_line(report),
            "randread of /data failed: not_a_disk: /data is a tmpfs: choose a path on a disk\n");
}

TEST(ProbeTable, ProgressIsOneShortLine) {
  Progress progress{Phase::measure, 0.5, seconds(1), 3000};
  const std::string line = progress_line("randread", progress);
  EXPECT_LE(line.size(), 79U);
  EXPECT_NE(line.find("50 %"), std::string::npos) << line;
  EXPECT_NE(line.find("3k IOPS"), std::string::npos) << line;
  progress.done = 17;
  EXPECT_NE(progress_line("randread", progress).find("100 %"), std::string::npos);
}

TEST(ProbeTable, BreaksALongVerdict) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  std::istringstream text(probe_table(finished_run(), Judgement{{}, {}, {}, {}, words}, {}));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(ProbeTable, EndsWithTheVerdict) {
  const Judgement judgement{Verdict::compliant, Reason::ok, 1.0, {}, "3,000 IOPS, 100 %"};
  const std::string text = probe_table(finished_run(), judgement, {});
  EXPECT_TRUE(text.ends_with("  verdict compliant, ok\n          3,000 IOPS, 100 %\n")) << text;
}

}  // namespace
}  // namespace storage_probe::cli
