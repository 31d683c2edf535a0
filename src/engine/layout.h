// SPDX-License-Identifier: Apache-2.0
// Laying a probe file out: data that do not compress and differ per block, at a limited rate and
// within an allowance, then fsync, then the header, then the name.
#pragma once

#include <functional>
#include <optional>

#include "base/units.h"
#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"

namespace storage_probe::engine {

enum class Pace {
  go_on,
  wait,  // the device is busy for others: ask again in a quarter of a second
  stop,  // give up: nothing is left behind, the failure is `preparing`
};

struct LayoutOptions {
  Bytes allowance;             // the most that may be written; less than needed: nothing is
  std::optional<double> rate;  // bytes per second; empty: as fast as it goes
  // Called at least four times a second with the share that is done, 0 to 1.
  std::function<Pace(double done)> on_progress;
};

// What came of a layout. What was spent counts also when it failed.
struct Layout {
  Checked<ProbeFile> file;
  PerOperation<Usage> spent{};  // bytes and ops
  Duration elapsed{};
};

// Makes the managed file: written beside it as <host id>.dat.new, renamed when it is complete. An
// older file of ours stays until then. Runs check_data_directory() and check_writable() first, and
// fails with what they say, or with preparing (allowance, stop), no_space, permission_denied,
// file_conflict, direct_io_rejected or io_error.
Layout lay_out(const CheckedDirectory& directory, const FileRequest& request,
               const LayoutOptions& options);

// The same for a file without a name, which is gone when it is closed. To keep it, use lay_out():
// then the next run finds it.
Layout lay_out_unnamed(const CheckedDirectory& directory, const FileRequest& request,
                       const LayoutOptions& options);

}  // namespace storage_probe::engine
