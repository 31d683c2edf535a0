// SPDX-License-Identifier: Apache-2.0
// The pages for people: functions of the snapshot, server-rendered, no script, no second request,
// everything escaped.
#pragma once

#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace storage_probe::http {

// `metrics_path` is linked; `now` makes ages ("3 min ago").
std::string landing_page(const Snapshot& snapshot, const std::string& metrics_path, WallTime now);

// What the pages need a browser to allow: their own style sheet, by its hash, and nothing else.
std::string page_security_policy();

// Safe in text and in quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace storage_probe::http
