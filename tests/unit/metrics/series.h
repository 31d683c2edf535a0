// SPDX-License-Identifier: Apache-2.0
// The series of one target, "db", as they stand after some reports.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/exposition.h"
#include "metrics/recorder.h"
#include "support/exposition_text.h"
#include "support/sample_status.h"

namespace storage_probe::metrics {

class SeriesOfATarget : public ::testing::Test {
 protected:
  // The value of a series of the target "db"; empty when there is none.
  std::optional<double> value(const std::string& name, const std::string& labels) {
    snapshot_.targets = recorder_.statuses(test::kNoon);
    const auto samples = test::parse_exposition(render(snapshot_)).samples;
    const auto found = samples.find("storage_probe_" + name + "{target=\"db\"," + labels + "}");
    if (found == samples.end()) return std::nullopt;
    return found->second;
  }
  void load(const std::vector<std::string>& presets) {
    target_.probes = test::sample_target("db", presets).probes;
    recorder_.configure({target_});
  }
  void run(const std::string& probe, std::uint64_t ios = 6000) {
    recorder_.record(test::finished_report(target_, probe, ios, test::kNoon));
  }

  Target target_ = test::sample_target("db", {});
  Recorder recorder_;
  Snapshot snapshot_;
};

}  // namespace storage_probe::metrics
