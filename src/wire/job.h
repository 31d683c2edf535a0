// SPDX-License-Identifier: Apache-2.0
// A Job as one JSON text, for the standard input of a worker. Both ends are the same binary, so
// decoding is strict: a missing, unknown or mistyped key is an error. Strings that are no UTF-8
// (paths) survive. Nothing here throws.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "model/job.h"

namespace storage_probe::wire {

// As long as the largest config file, of which one target is a part.
inline constexpr Bytes kMaxJob = kMiB;

std::string encode(const Job& job);
Result<Job> decode_job(std::string_view text);

}  // namespace storage_probe::wire
