// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/probe_report.h"
#include "model/terms.h"
#include "model/verdict.h"

namespace storage_probe::compliance {

// A judgement in a sentence that can be pasted into a ticket: what was achieved, how much of what
// that is, and what the reason means here.
std::string words_for(const Judgement& judgement, const ProbeReport& report, const Terms& terms);

// Why there is no promise for such a probe, and what to do about it.
std::string why_unknown(const ProbeSpec& spec, const Terms& terms);

}  // namespace storage_probe::compliance
