// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "engine/managed_file.h"

namespace storage_probe::engine {

// On a volume that is not shared: gives the complete probe file that another host has left, as in a
// restored snapshot, the name of `own`, which must not exist. False when there is none.
bool adopt_leftover(const ManagedFile& own);

// Removes the probe files that hosts have left beside `beside`, a shared mount's, and that are of
// no use to anybody: named <host id>.dat or .dat.new for a host that `is_known` does not know, ours
// by its header (a .new has none before it is complete: then by its name, for nobody else makes
// such), and neither read nor written for a week, by the clock of the file server, which is that of
// `beside`'s lease. Whatever else there is, and whatever cannot be looked at, stays. How many are
// gone.
std::size_t remove_leftovers(const ManagedFile& beside,
                             const std::function<bool(const std::string& host_id)>& is_known);

}  // namespace storage_probe::engine
