// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "model/probe_report.h"
#include "model/promise.h"
#include "model/verdict.h"

namespace storage_probe::wire {

// The object that `probe --output json` prints, on one line without a newline: a contract with
// scripts. Quantities are plain numbers in seconds and bytes; what is not known is absent. Bytes of
// a path that are no UTF-8 become U+FFFD.
// `judgement`: of a finished capacity probe.
std::string result_json(const ProbeReport& report, const Promise& promise,
                        const std::optional<Judgement>& judgement);

}  // namespace storage_probe::wire
