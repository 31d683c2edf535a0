// SPDX-License-Identifier: Apache-2.0
// Giving back what layouts have made. Only what is certainly ours goes: a probe file by its header,
// a leftover by its name in our directory, the tag by its text, the directory when it is empty.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/checked.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "model/job.h"

namespace storage_probe::engine {

// Called for each thing that was found, with what became of it.
using TellCleaned = std::function<void(const Cleaned&)>;

// Removes the probe file of the request's host, leftovers of its layouts, and, where nothing else
// is in it and the operator did not choose it, the directory. The failure is about the first thing
// of this host that had to stay; files of others stay, too, and are no failure.
std::optional<Failure> clean_up(const CheckedDirectory& target, const FileRequest& request,
                                const TellCleaned& tell);

// Removes the file `name` of the probe directory, whatever it is, unless it is a directory. The
// name must be one that a probe file can have.
std::optional<Failure> remove_by_force(const CheckedDirectory& target, const FileRequest& request,
                                       const std::string& name, const TellCleaned& tell);

// "<16 hex digits>.dat", or the same with ".new": what --force takes.
bool is_probe_file_name(const std::string& name);

}  // namespace storage_probe::engine
