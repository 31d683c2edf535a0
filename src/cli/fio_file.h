// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "cli/fio_line.h"
#include "model/target.h"

namespace storage_probe::cli {

// Which file fio is to use in place of a probe of `target`: what the probe reads, where that is a
// file or device with a name; else, and for each probe that writes, a new one of a random name
// beside it. `name` is what the probe file of the target is called, without ".dat". Asks the file
// system how large it is where the file's size follows from that.
Result<FioFile> fio_file_for(const Target& target, const ProbeSpec& spec, const std::string& name);

}  // namespace storage_probe::cli
