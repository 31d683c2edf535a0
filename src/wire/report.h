// SPDX-License-Identifier: Apache-2.0
// What a worker says, one JSON object a line: {"progress": {…}} or {"cleaned": {…}}, and at last
// {"report": {…}}. Both ends are the same binary, so decoding is strict, as for a Job; the text may
// yet be anything, for a worker may be broken. Nothing here throws.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/units.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::wire {

// The longest line, its newline not counted. A histogram has 2,241 buckets, each written as
// "2240,9007199254740992," at worst: 48 KiB an operation, 145 KiB for the three; the rest holds
// paths, names and messages, escaped. A usual report has about 10 KiB.
inline constexpr Bytes kMaxLine{256 * kKiB.value};

// One line with its newline.
std::string encode(const Progress& progress);
std::string encode(const Cleaned& cleaned);
std::string encode(const ProbeReport& report);

using Line = std::variant<Progress, Cleaned, ProbeReport>;
// `line` with or without its newline.
Result<Line> decode_line(std::string_view line);

}  // namespace storage_probe::wire
