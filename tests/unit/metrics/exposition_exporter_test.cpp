// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include "metrics/exposition.h"
#include "support/exposition_text.h"
#include "support/files.h"
#include "support/sample_status.h"
#include "support/temp_dir.h"

namespace storage_probe::metrics {
namespace {

std::map<std::string, double> live_samples(const std::string& procfs, const LiveStatus& live = {}) {
  return test::parse_exposition(render_live(live, procfs)).samples;
}

TEST(ProcessMetrics, AreReadFromProc) {
  const test::TempDir proc;
  // The name holds what a careless reader trips over.
  test::write_file(proc / "self/stat",
                   "42 (a) b (c) S 1 42 42 0 -1 4194560 1 0 0 0 250 150 0 0 20 0 7 0 5000 "
                   "1048576 3 18446744073709551615 1 1 0 0\n");
  test::write_file(proc / "stat", "cpu  1 2 3\nbtime 1700000000\n");
  test::write_file(proc / "self/limits",
                   "Limit                     Soft Limit           Hard Limit           Units\n"
                   "Max open files            8192                 524288               files\n");
  for (const char* fd : {"0", "1", "2"}) test::write_file(proc / "self/fd" / fd, "");
  const auto samples = live_samples(proc.path().string());
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(samples.at("process_cpu_seconds_total"), 400 / ticks);
  EXPECT_EQ(samples.at("process_threads"), 7);
  EXPECT_EQ(samples.at("process_virtual_memory_bytes"), 1048576);
  EXPECT_EQ(samples.at("process_resident_memory_bytes"),
            3.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(samples.at("process_start_time_seconds"), 1700000000 + 5000 / ticks);
  EXPECT_EQ(samples.at("process_open_fds"), 3);
  EXPECT_EQ(samples.at("process_max_fds"), 8192);
}

TEST(ProcessMetrics, AreLeftOutWhereProcSaysNothing) {
  for (const auto& [sample, value] : live_samples("/nonexistent"))
    EXPECT_NE(sample.rfind("process_", 0), 0U) << sample;
}

TEST(ProcessMetrics, AreLeftOutWhereProcSaysNonsense) {
  const test::TempDir proc;
  test::write_file(proc / "self/stat", ")");
  test::write_file(proc / "self/limits", "Max open files unlimited unlimited files\n");
  test::write_file(proc / "stat", "btime x\n");
  const auto samples = live_samples(proc.path().string());
  EXPECT_EQ(samples.count("process_cpu_seconds_total"), 0U);
  EXPECT_EQ(samples.count("process_max_fds"), 0U);
  EXPECT_EQ(samples.count("process_start_time_seconds"), 0U);
}

TEST(ProcessMetrics, OfThisProcessAreAllThere) {
  const auto samples = live_samples("/proc");
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                           "process_virtual_memory_bytes", "process_open_fds",
                           "process_start_time_seconds", "process_threads"})
    EXPECT_EQ(samples.count(name), 1U) << name;
}

TEST(LiveMetrics, AreTheFiguresGiven) {
  const auto samples = live_samples(
      "/proc", {test::kNoon, std::chrono::milliseconds{250}, 4, {{{"metrics", 200}, 9}}});
  EXPECT_EQ(samples.at("storage_probe_exporter_scheduler_lag_seconds"), 0.25);
  EXPECT_EQ(samples.at("storage_probe_exporter_scheduler_heartbeat_timestamp_seconds"), 1.8e9);
  EXPECT_EQ(samples.at("storage_probe_exporter_log_dropped_total"), 4);
  EXPECT_EQ(
      samples.at(R"(storage_probe_exporter_http_requests_total{handler="metrics",code="200"})"), 9);
}

TEST(ExporterMetrics, SayWhichConfigurationIsInForce) {
  Snapshot snapshot;
  snapshot.exporter = {"abc", false, test::kNoon, 2, 1};
  const auto samples = test::parse_exposition(render(snapshot)).samples;
  EXPECT_EQ(samples.at("storage_probe_exporter_config_info{sha256=\"abc\"}"), 1);
  EXPECT_EQ(samples.at("storage_probe_exporter_config_last_reload_successful"), 0);
  EXPECT_EQ(samples.at("storage_probe_exporter_workers{state=\"running\"}"), 2);
  EXPECT_EQ(samples.at("storage_probe_exporter_workers{state=\"stuck\"}"), 1);
}

}  // namespace
}  // namespace storage_probe::metrics
