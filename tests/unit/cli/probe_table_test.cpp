// SPDX-License-Identifier: Apache-2.0
#include "cli/probe_table.h"

#include <gtest/gtest.h>

#include <chrono>

namespace storage_probe::cli {
namespace {

using std::chrono::microseconds;
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
  report.measured.duration = seconds(2);
  OperationStats& read = report.measured.operations[Operation::read];
  read.ios = 2000;
  read.bytes = Bytes{2000 * 4096};
  read.latency.record(microseconds(250), 2000);
  return report;
}

TEST(ProbeTable, SaysWhatRanWhereAndWhatCameOut) {
  const std::string text = probe_table(finished_run());
  for (const char* part : {"randread of /data", "4KiB random reads, 32 in flight",
                           "/data is on /data (ext4, /dev/nvme1n1)", "io_uring", "1k", "250 us"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST(ProbeTable, LeavesOutAPercentileThatTheSampleCannotCarry) {
  const std::string text = probe_table(finished_run());
  const std::string row = text.substr(text.find("  read"));
  EXPECT_NE(row.find(" - "), std::string::npos) << "p99.9 of 2,000 samples: " << row;
}

TEST(ProbeTable, FitsATerminalOfNinetyColumns) {
  const std::string text = probe_table(finished_run());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    EXPECT_LE(end - at, 90U) << text.substr(at, end - at);
    at = end + 1;
  }
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

}  // namespace
}  // namespace storage_probe::cli
