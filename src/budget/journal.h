// SPDX-License-Identifier: Apache-2.0
// The ledger as records of text, so that what was spent survives the daemon: one when a reservation
// is made, one when it is settled, and a summary when the file is rewritten. Pure: a RecordFile
// reads and writes them.
//
// Times are of CLOCK_BOOTTIME, which no step of the wall clock moves. What was spent before the
// last boot has refilled since that boot at most: how long the machine was off only the wall clock
// could tell.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "budget/ledger.h"
#include "model/probe_spec.h"

namespace storage_probe::budget {

inline constexpr const char* kJournalFormat = "storage-probe-ledger 1";

// The first record of each daemon: the ones after it are of this boot.
std::string boot_record(const std::string& boot_id);
std::string reserved_record(const Ledger::Reservation& reservation);
std::string settled_record(const Ledger::Reservation& reservation, const Usage& used,
                           Duration since_boot);
// What a target had spent.
std::string spent_record(const std::string& target, const Usage& spent, Duration since_boot);
// What stands for all records before it, but the boot's.
std::vector<std::string> summary_of(const Ledger& ledger, SteadyTime now, Duration since_boot);

// What the records say was spent, oldest first, by target; what is older than a day is left out. A
// reservation that was never settled was spent in full, and only now, for nobody knows when its
// child ended. Records of an unknown kind are of a later version and left out.
std::map<std::string, std::vector<Ledger::Charge>> charges_of(
    const std::vector<std::string>& records, const std::string& boot_id, Duration since_boot);

}  // namespace storage_probe::budget
