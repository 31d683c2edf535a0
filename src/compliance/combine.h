// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/terms.h"

namespace storage_probe::compliance {

// The terms of a volume that others form, from theirs, of which there must be one or more. A figure
// that one of them lacks is lacking.
Terms combined(const std::vector<Terms>& parts, VolumeSpec::Layout layout);

// Of two promises the lower of each figure that both have; what `now` has alone stays.
Promise lower_of(const Promise& old, const Promise& now);

}  // namespace storage_probe::compliance
