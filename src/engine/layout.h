// SPDX-License-Identifier: Apache-2.0
// Laying a probe file out: data that do not compress and differ per block, at a limited rate and
// within an allowance, then fsync, then the header, then the name. Where one run's allowance cannot
// pay for all of it, the file gets its name with what was paid for, and later runs add to it: data,
// fsync, then the header with the new size. At any instant the header in the file tells how much of
// it is good; what is beyond is of a run that was killed, and is written again.
#pragma once

#include <functional>
#include <optional>

#include "base/units.h"
#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/job.h"

namespace storage_probe::engine {

enum class Pace {
  go_on,
  wait,  // the device is busy for others: ask again in a quarter of a second
  stop,  // go on another time: what is written is kept, the failure is `preparing`
};

struct LayoutOptions {
  Usage allowance = kUnlimited;  // the most that may be spent
  std::optional<double> rate;    // bytes per second; empty: as fast as it goes
  // Called at least four times a second with the share that is done, 0 to 1.
  std::function<Pace(double done)> on_progress;
  Bytes per_day;  // what later runs may add in a day, for the message; 0: not known
};

// What came of a layout. What was spent counts also when it failed.
struct Layout {
  Checked<ProbeFile> file;
  PerOperation<Usage> spent{};  // bytes and ops
  Duration elapsed{};
};

// Makes the managed file: written beside it as <host id>.dat.new, renamed when its header is
// written. An older file of ours that is sound is continued in place, or cut, to the wanted size;
// any other stays until the new one has its name. Runs check_data_directory() and check_writable()
// first, and fails with what they say, or with preparing (not complete yet: the message says how
// far it is), no_space, permission_denied, file_conflict, direct_io_rejected or io_error. After a
// failure nothing is left of what was written since.
Layout lay_out(const CheckedDirectory& directory, const FileRequest& request,
               const LayoutOptions& options);

// The same in one go for a file without a name, which is gone when it is closed. To keep it, use
// lay_out(): then the next run finds it.
Layout lay_out_unnamed(const CheckedDirectory& directory, const FileRequest& request,
                       const LayoutOptions& options);

}  // namespace storage_probe::engine
