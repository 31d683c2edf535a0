// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/units.h"
#include "engine/probe_file.h"
#include "model/probe_report.h"

namespace storage_probe::worker {

// What the failed I/Os of a run come to: nothing while they are few (engine::failed_by_errors);
// else the state that most of them stand for, with all of them by name. `size_now` is what the
// probe file has become, empty where that is not known: a file that was cut under the run is told
// as such, and even a few I/Os beyond its end fail the run.
std::optional<Failure> judge_errors(const Measurement& measured, Bytes expected_size,
                                    std::optional<Bytes> size_now);

// The same of a run on this file, whose size is asked for only when something failed; and what
// reading back has found to be lost.
std::optional<Failure> find_failure(const Measurement& measured, const engine::ProbeFile& file);

}  // namespace storage_probe::worker
