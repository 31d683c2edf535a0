// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace storage_probe {

// What this binary was built from. The revision is "unknown" outside a git checkout.
std::string_view version();
std::string_view revision();  // made by revision.cmake
std::string_view compiler();

}  // namespace storage_probe
