// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "model/terms.h"

namespace storage_probe::wire {

inline constexpr Bytes kLargestPromises{16 * kMiB.value};

// A promises file: an object of volume ids, each with any of type, size, vpu, iops, throughput,
// read_iops, write_iops, read_throughput and write_throughput. Sizes and rates are texts with their
// unit, counts are numbers or texts; null is as good as absent. The first flaw refuses the whole,
// because half a file of promises would judge half of the volumes; the message names the entry.
Result<PromiseBook> parse_promises(std::string_view json);

}  // namespace storage_probe::wire
