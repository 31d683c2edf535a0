// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/metrics/series.h"

namespace storage_probe::metrics {
namespace {

using test::kNoon;

class ProbeSeries : public SeriesOfATarget {};

TEST_F(ProbeSeries, HaveNoResultBeforeTheFirstRunButCountersAtZero) {
  load({"latency"});
  EXPECT_FALSE(value("success", "probe=\"latency\""));
  EXPECT_FALSE(value("iops", "probe=\"latency\",op=\"read\""));
  for (const std::string result : {"ok", "failed", "timed_out", "stuck"})
    EXPECT_EQ(value("runs_total", "probe=\"latency\",result=\"" + result + "\""), 0);
  EXPECT_EQ(value("io_duration_seconds_count", "probe=\"latency\",op=\"read\""), 0);
  EXPECT_EQ(value("interval_seconds", "probe=\"latency\""), 60);
  EXPECT_FALSE(value("skipped_total", "probe=\"latency\",reason=\"busy\""));
}

TEST_F(ProbeSeries, ShowTheLastFinishedRun) {
  load({"randread"});
  run("randread");
  EXPECT_EQ(value("success", "probe=\"randread\""), 1);
  EXPECT_EQ(value("iops", "probe=\"randread\",op=\"read\""), 3000);
  EXPECT_EQ(value("last_run_timestamp_seconds", "probe=\"randread\""), 1.8e9);
  EXPECT_EQ(value("duration_seconds", "probe=\"randread\""), 2);
  EXPECT_NEAR(*value("latency_seconds", "probe=\"randread\",op=\"read\",percentile=\"99\""),
              0.00604, 0.00604 * 0.01);
  EXPECT_NEAR(*value("latency_max_seconds", "probe=\"randread\",op=\"read\""), 0.006099, 1e-9);
}

TEST_F(ProbeSeries, HaveHistogramsOfTheKindsThatTheConfigurationNames) {
  load({"latency", "randread"});
  const std::string of_latency = "probe=\"latency\",op=\"read\"";
  const std::string of_capacity = "probe=\"randread\",op=\"read\"";
  EXPECT_TRUE(value("io_duration_seconds_sum", of_latency));
  EXPECT_FALSE(value("io_duration_seconds_sum", of_capacity));
  snapshot_.histograms_for_capacity = true;
  EXPECT_TRUE(value("io_duration_seconds_sum", of_capacity));
  snapshot_.histograms_for_latency = false;
  EXPECT_FALSE(value("io_duration_seconds_sum", of_latency));
}

TEST_F(ProbeSeries, HaveNoThroughputOfFsyncs) {
  load({"randwrite"});
  run("randwrite");
  EXPECT_TRUE(value("iops", "probe=\"randwrite\",op=\"fsync\""));
  EXPECT_FALSE(value("throughput_bytes_per_second", "probe=\"randwrite\",op=\"fsync\""));
}

TEST_F(ProbeSeries, SayTheWorkloadExactly) {
  load({"randread"});
  const std::string fixed =
      "probe=\"randread\",kind=\"capacity\",pattern=\"random\",block_size=\"4KiB\",";
  EXPECT_EQ(value("info", fixed + R"(queue_depth="auto",read_percent="100",engine="auto")"), 1);
  run("randread");
  EXPECT_EQ(value("info", fixed + R"(queue_depth="32",read_percent="100",engine="io_uring")"), 1);
}

}  // namespace
}  // namespace storage_probe::metrics
