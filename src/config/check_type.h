// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/draft.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// Notes what a target says of its volume and the catalogue does not know: a type, a size, more than
// can be bought. What is said holds all the same: catalogues grow old.
void note_type(const TargetDraft& draft, const Catalogue& catalogue, Problems& problems);

}  // namespace storage_probe::config
