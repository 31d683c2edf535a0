// SPDX-License-Identifier: Apache-2.0
// The lines of the history in the state directory: JSON, one record each. An older or a later
// version may have written one, so that a line which is not understood is an error and no more.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/history.h"

namespace storage_probe::wire {

// Without a newline.
std::string encode(const HistoryRecord& record);
Result<HistoryRecord> decode_history(std::string_view text);

}  // namespace storage_probe::wire
