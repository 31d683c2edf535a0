// SPDX-License-Identifier: Apache-2.0
// How large a probe file may and should be.
#pragma once

#include <optional>

#include "base/units.h"
#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/target.h"

namespace storage_probe::engine {

// Space as statvfs tells it: `available` is what an ordinary user may fill. A volume that tells
// nothing, or more than exists (EFS: 8 EiB), is `fictional` and has room for everything.
struct Space {
  Bytes total;
  Bytes available;
  bool fictional = false;
};
Checked<Space> read_space(const CheckedDirectory& directory);

// What may be written so that `rule` still holds afterwards.
Bytes room(const Space& space, const SpaceRule& rule);

// The size of a probe file where none is configured: 1 % of the volume, 64 MiB to 1 GiB, in whole
// MiB, less where `room` is less. Empty when under 16 MiB would be left: such a file fits in any
// cache.
std::optional<Bytes> default_file_size(const Space& space, Bytes room);

// The size to lay out, in whole blocks of 64 KiB and at least two; no_space where it does not fit.
// An older file of ours still takes its space then.
Checked<Bytes> size_to_lay_out(const CheckedDirectory& directory, const FileRequest& request);

// Whether a complete file of `size` is as large as the request wants.
Checked<bool> is_size_wanted(const CheckedDirectory& directory, const FileRequest& request,
                             Bytes size);

}  // namespace storage_probe::engine
