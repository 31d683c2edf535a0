// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "metrics/exposition.h"
#include "support/exposition_text.h"
#include "support/sample_status.h"

namespace storage_probe::metrics {
namespace {

using test::kNoon;

class TargetSeries : public ::testing::Test {
 protected:
  TargetSeries() {
    TargetStatus& target = snapshot_.targets.emplace_back();
    target.name = "db";
    target.probes.emplace_back().spec = *find_preset("randwrite");
    snapshot_.taken = kNoon;
  }
  TargetStatus& target() { return snapshot_.targets[0]; }
  std::optional<double> value(const std::string& name, const std::string& labels = "") {
    const auto samples = test::parse_exposition(render(snapshot_)).samples;
    const std::string comma = labels.empty() ? "" : ",";
    const auto found =
        samples.find("storage_probe_" + name + "{target=\"db\"" + comma + labels + "}");
    if (found == samples.end()) return std::nullopt;
    return found->second;
  }

  Snapshot snapshot_;
};

TEST_F(TargetSeries, HaveCountersAtZeroForWhatTheProbesCanDo) {
  EXPECT_EQ(value("ios_total", R"(probe="randwrite",op="write")"), 0);
  EXPECT_EQ(value("ios_total", R"(probe="randwrite",op="fsync")"), 0);
  EXPECT_FALSE(value("ios_total", R"(probe="randwrite",op="read")"));
  EXPECT_EQ(value("bytes_total", R"(probe="randwrite",op="write")"), 0);
  EXPECT_FALSE(value("bytes_total", R"(probe="randwrite",op="fsync")"));
  EXPECT_EQ(value("bytes_total", R"(probe="layout",op="write")"), 0);
  EXPECT_EQ(value("io_errors_total", "errno=\"other\""), 0);
  EXPECT_FALSE(value("io_errors_total", "errno=\"EIO\""));
  EXPECT_EQ(value("io_retries_total"), 0);
  EXPECT_EQ(value("identity_changes_total"), 0);
}

TEST_F(TargetSeries, CountWhatLayingOutCost) {
  target().layout_spent[Operation::write] = {{}, kGiB, {1025}};
  target().layout_spent[Operation::fsync] = {{}, {}, {1}};
  EXPECT_EQ(value("bytes_total", R"(probe="layout",op="write")"), 1024.0 * 1024 * 1024);
  EXPECT_EQ(value("ios_total", R"(probe="layout",op="write")"), 1025);
  EXPECT_EQ(value("ios_total", R"(probe="layout",op="fsync")"), 1);
}

TEST_F(TargetSeries, ShowTheCurrentStateOnly) {
  EXPECT_EQ(value("target_state_info", "state=\"unknown\""), 1);
  EXPECT_EQ(value("target_ready"), 0);
  target().state = TargetState::ready;
  EXPECT_EQ(value("target_state_info", "state=\"ready\""), 1);
  EXPECT_FALSE(value("target_state_info", "state=\"unknown\""));
  EXPECT_EQ(value("target_ready"), 1);
}

TEST_F(TargetSeries, SayHowLongATargetIsStuck) {
  EXPECT_EQ(value("target_stuck_seconds"), 0);
  target().stuck_since = kNoon - std::chrono::seconds{90};
  EXPECT_EQ(value("target_stuck_seconds"), 90);
  target().stuck_since = kNoon + std::chrono::seconds{90};  // the clock was set back
  EXPECT_EQ(value("target_stuck_seconds"), 0);
}

TEST_F(TargetSeries, ShowAHold) {
  EXPECT_EQ(value("target_hold"), 0);
  target().held = "until it is released";
  EXPECT_EQ(value("target_hold"), 1);
}

TEST_F(TargetSeries, ShowWhatIsPlannedForADay) {
  target().planned_per_day = {{}, kGiB, Ops{1440}};
  EXPECT_EQ(value("plan_bytes_per_day"), 1024.0 * 1024 * 1024);
  EXPECT_EQ(value("plan_ios_per_day"), 1440);
}

TEST_F(TargetSeries, HaveNoLimitsWithoutAPromise) {
  EXPECT_FALSE(value("limit_iops", R"(limit="volume",op="total")"));
  EXPECT_EQ(value("promise_source_info", R"(from="none",volume_type="",as_of="")"), 1);
  EXPECT_FALSE(value("burst_balance_ratio", R"(bound="low")"));
  EXPECT_FALSE(value("compliance_objective_ratio"));
  EXPECT_FALSE(value("objective_ios_total", R"(result="good")"));
}

TEST_F(TargetSeries, ShowThePartsOfAPromise) {
  Terms& terms = target().terms;
  terms.type = "aws.gp2";
  terms.as_of = "2023-06";
  terms.volume.iops = 3000;
  terms.volume.write_throughput = 1e6;
  terms.volume.from = "derived";
  terms.instance.iops = 18750;
  terms.burst.iops = 3500;
  terms.objective = 0.99;
  target().burst_balance = {0.25, 0.5};
  EXPECT_EQ(value("limit_iops", R"(limit="volume",op="total")"), 3000);
  EXPECT_EQ(value("limit_iops", R"(limit="instance",op="total")"), 18750);
  EXPECT_EQ(value("limit_iops", R"(limit="burst",op="total")"), 3500);
  EXPECT_EQ(value("limit_throughput_bytes_per_second", R"(limit="volume",op="write")"), 1e6);
  EXPECT_EQ(value("promise_source_info", R"(from="derived",volume_type="aws.gp2",as_of="2023-06")"),
            1);
  EXPECT_EQ(value("burst_balance_ratio", R"(bound="low")"), 0.25);
  EXPECT_EQ(value("burst_balance_ratio", R"(bound="high")"), 0.5);
  EXPECT_EQ(value("compliance_objective_ratio"), 0.99);
}

TEST_F(TargetSeries, CountTheIosOfAnObjective) {
  target().objective = Objective{std::chrono::milliseconds{10}, 0.99};
  target().objective_good = 190;
  target().objective_bad = 10;
  EXPECT_EQ(value("objective_ios_total", R"(result="good")"), 190);
  EXPECT_EQ(value("objective_ios_total", R"(result="bad")"), 10);
}

TEST_F(TargetSeries, NameEachDeviceOfTheStackOnce) {
  target().identity.devices = {
      {"dm-0", "254:0", "", false}, {"sda", "8:0", "vol-1", true}, {"sda", "8:0", "vol-1", true}};
  EXPECT_EQ(value("target_device_info", R"(device="dm-0",volume_id="",role="top")"), 1);
  EXPECT_EQ(value("target_device_info", R"(device="sda",volume_id="vol-1",role="leaf")"), 1);
  const std::string text = render(snapshot_);
  EXPECT_EQ(text.find("device=\"sda\",volume_id"), text.rfind("device=\"sda\",volume_id"));
}

TEST_F(TargetSeries, LeaveOutALimitOfSecondsThatIsNone) {
  target().budget_limit = {{}, kGiB, {1000}};
  EXPECT_FALSE(value("budget_limit_seconds"));
  EXPECT_EQ(value("budget_limit_ios"), 1000);
  target().budget_limit.time = std::chrono::seconds{864};
  EXPECT_EQ(value("budget_limit_seconds"), 864);
}

}  // namespace
}  // namespace storage_probe::metrics
