// SPDX-License-Identifier: Apache-2.0
// A probe as a command line of fio, for whoever wants a second opinion. Text only: nothing is
// opened and nothing runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_spec.h"

namespace storage_probe::cli {

// The file that fio is to use.
struct FioFile {
  // A temporary file is laid out by fio, and removed by it; what is there already is only read.
  enum class Life { existing, temporary };

  std::filesystem::path path;
  Life life = Life::temporary;
  Bytes header;               // at its start, left alone
  std::optional<Bytes> size;  // empty: all of what exists
};

// The line that does what a probe does, quoted for a shell. `spec` has its queue depth. Engines
// other than `threads` become io_uring. Errc::invalid: no line can say it, or the probe would write
// to a file that exists.
Result<std::string> fio_line(const ProbeSpec& spec, Engine engine, const FioFile& file);

}  // namespace storage_probe::cli
