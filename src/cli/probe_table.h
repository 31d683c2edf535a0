// SPDX-License-Identifier: Apache-2.0
// What `probe` prints for people: text in, text out.
#pragma once

#include <optional>
#include <string>

#include "cli/bars.h"
#include "model/job.h"
#include "model/probe_report.h"
#include "model/verdict.h"

namespace storage_probe::cli {

// A finished run as a small table, at most 80 columns wide but for the names of files; ends with a
// newline.
// `judgement`: of a capacity probe.
std::string probe_table(const ProbeReport& report, const std::optional<Judgement>& judgement,
                        Style style);

// A failed run in one line, naming the path, the state and the cure; ends with a newline.
std::string failure_line(const ProbeReport& report);

// One line of progress without a newline, at most 79 columns.
std::string progress_line(const std::string& probe, const Progress& progress);

}  // namespace storage_probe::cli
