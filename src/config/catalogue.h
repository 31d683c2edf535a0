// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/volume_type.h"

namespace storage_probe::config {

// The one that is compiled in, read once.
const Catalogue& built_in_catalogue();

}  // namespace storage_probe::config
