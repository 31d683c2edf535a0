// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"

namespace storage_probe::budget {

// What a provider counts for I/Os that moved `done.bytes` in `done.ops`, on a volume of this type
// of the catalogue. Amazon EFS counts each request as 4 KiB or as what it moved, whichever is more,
// and of a read a third, but never less than 4 KiB. Every other type counts the bytes themselves.
Bytes metered_bytes(std::string_view volume_type, Operation operation, const Usage& done);

// The most that a run of `spec` within `worst_case` can be counted as.
Usage metered(std::string_view volume_type, const ProbeSpec& spec, Usage worst_case);

// What a run is charged with, as charge_of(), its bytes as they are metered.
Usage metered_charge_of(std::string_view volume_type, const ProbeReport& report);

}  // namespace storage_probe::budget
