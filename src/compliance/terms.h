// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/terms.h"
#include "model/volume_type.h"

namespace storage_probe::compliance {

// What a target's runs are judged against. `spec` is the operator's word and wins, figure by
// figure; then comes the book's entry for the volume's id, then what follows from type and size.
// `instance` is what this host may draw from all its volumes. Of a volume that others form, by
// `spec.members` or by leaves that the book knows:
//   stripe  each I/O may go to any of them alike, so as many times the least of them
//   mirror  every write goes to all: the least of them. Reads in random order go to whichever is
//           idle: the sum of I/Os; one sequential stream stays on one: the least throughput
//   linear  the probe file is on one of them, and on which is not known: the least of them. So,
//   too,
//           where it is not known how leaves form the volume
// A row that is not confirmed, or whose provider owes nothing, accuses nobody; what is said does.
Terms terms_of(const VolumeSpec& spec, const MountIdentity& identity, const Catalogue& catalogue,
               const PromiseBook& book, const Promise& instance);

// For the time in which a volume may still be changing from one to the other: the lower of both
// figures, in all else `now`.
Terms lower_of(const Terms& old, const Terms& now);

}  // namespace storage_probe::compliance
