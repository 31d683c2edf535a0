// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/volume_type.h"

namespace storage_probe::compliance {

// What follows from a volume's type for one volume.
struct Derived {
  Promise base, burst;       // burst: only where it is beyond the base
  bool is_confirmed = true;  // false: a part of the row that is not
  std::string missing;       // what would have to be known for more, and the cure

  bool operator==(const Derived&) const = default;
};

// `volume`: what is said of it; figures that are said take the place of derived ones where others
// follow from them.
Derived derive(const VolumeType& type, const VolumeSpec& volume);

// What `said` has; of I/Os and of throughput, where it has neither a figure for both operations nor
// for one of them, what `otherwise` has. `from` is that of `said` if it has anything.
Promise completed(const Promise& said, const Promise& otherwise);

}  // namespace storage_probe::compliance
