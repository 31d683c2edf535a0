// SPDX-License-Identifier: Apache-2.0
// A run measures once, or once more another way when the first way was itself the limit. All that
// its attempts spend together stays within the probe's limits, and all of it is reported as used;
// the figures are those of one attempt.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "worker/run_watch.h"

namespace storage_probe::worker {

// How an attempt is made.
struct Approach {
  Engine engine = Engine::automatic;
  Usage limits;        // what it may spend
  std::string note{};  // for the report, if its figures are taken; empty for the first
};

// What an attempt has brought.
struct Attempt {
  Measurement measured;
  Engine engine = Engine::automatic;  // that ran
  std::string engine_note;
  RunWatch::Findings findings;
};

// Makes an attempt. Errc::exhausted: its queue could not be opened, so that it has spent nothing.
// Any other Error: it broke off, and has spent nobody knows what.
using MakeAttempt = std::function<Result<Attempt>(const Approach&)>;

// The attempts of one run with these limits: the first with the engine that is wanted, and what
// next_approach() says after it.
Result<Attempt> make_attempts(const ProbeSpec& spec, Engine wanted, const MakeAttempt& make);

// What to do after a first attempt: threads, when io_uring (not the operator's own choice) kept
// fewer I/Os in flight than it was told to, as on file systems that serialise it, and the limits
// leave enough for figures that count. Empty: the first attempt stands.
std::optional<Approach> next_approach(const ProbeSpec& spec, Engine wanted, const Attempt& first);

// Whether the figures of the second attempt are to be taken: a tenth faster, or as fast with as
// many in flight as asked for.
bool is_better(const ProbeSpec& spec, const Attempt& second, const Attempt& first);

}  // namespace storage_probe::worker
