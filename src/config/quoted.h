// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace storage_probe::config {

// In double quotes, as YAML escapes them: names of files may hold anything.
std::string quoted(std::string_view text);

}  // namespace storage_probe::config
