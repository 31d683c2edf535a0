// SPDX-License-Identifier: Apache-2.0
// How large a probe file may be on the file system it is to lie on.
#pragma once

#include <optional>

#include "base/units.h"
#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/file_size.h"
#include "model/target.h"

namespace storage_probe::engine {

// Of the file system that `directory` is on.
Checked<Space> read_space(const CheckedDirectory& directory);

// The size to lay out, in whole blocks of 64 KiB and at least two; no_space where it does not fit.
// `reused` is what of it is there already; any other file of ours still takes its space then.
Checked<Bytes> size_to_lay_out(const CheckedDirectory& directory, const FileRequest& request,
                               Bytes reused = {});

// no_space where a limit of this process forbids a file of `size`.
std::optional<Failure> check_file_limit(Bytes size);

// Whether a complete file of `size` is as large as the request wants.
Checked<bool> is_size_wanted(const CheckedDirectory& directory, const FileRequest& request,
                             Bytes size);

}  // namespace storage_probe::engine
