// SPDX-License-Identifier: Apache-2.0
// The pages for people: functions of the snapshot, server-rendered, no script, everything escaped.
#pragma once

#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace storage_probe::http {

// `metrics_path` is linked; `now` makes ages ("3 min ago").
std::string landing_page(const Snapshot& snapshot, const std::string& metrics_path, WallTime now);

std::string escape_html(std::string_view text);

}  // namespace storage_probe::http
