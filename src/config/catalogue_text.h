// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace storage_probe::config {

// The text of config/volume-types.yml at the time of the build.
std::string_view catalogue_text();

}  // namespace storage_probe::config
