// SPDX-License-Identifier: Apache-2.0
// What a probe file is called, and how large it should be, from what its volume has.
#pragma once

#include <optional>

#include "base/units.h"
#include "model/target.h"

namespace storage_probe {

// The start of a probe file, which makes it ours: never probed.
inline constexpr Bytes kProbeFileHeader{4096};

// The name, without ".dat", of the one that all hosts of a shared mount read; else a host's id.
inline constexpr const char* kSharedProbeFile = "shared";

// Space as statvfs tells it: `available` is what an ordinary user may fill. A volume that tells
// nothing, or more than exists (EFS: 8 EiB), is `fictional` and has room for everything.
struct Space {
  Bytes total;
  Bytes available;
  bool fictional = false;
};
// Of a volume with these sizes.
Space space_of(Bytes total, Bytes available);

// What may be written so that `rule` still holds afterwards.
Bytes room(const Space& space, const SpaceRule& rule);

// The size of a probe file where none is configured: 1 % of the volume, 64 MiB to 1 GiB, in whole
// MiB, less where `room` is less. Empty when under 16 MiB would be left: such a file fits in any
// cache.
std::optional<Bytes> default_file_size(const Space& space, Bytes room);

// The least of the above.
inline constexpr Bytes kSmallestProbeFile{16 * kMiB.value};

}  // namespace storage_probe
