// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace storage_probe {

std::string_view version() { return PROBE_VERSION; }
std::string_view compiler() { return PROBE_COMPILER; }

}  // namespace storage_probe
