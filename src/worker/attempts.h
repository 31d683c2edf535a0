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
  std::optional<unsigned> queue_depth{};  // other than the spec's
};

// What an attempt has brought.
struct Attempt {
  Measurement measured;
  Engine engine = Engine::automatic;  // that ran
  std::string engine_note;
  RunWatch::Findings findings;
  std::optional<unsigned> queue_depth{};  // other than the spec's
  bool has_met_fresh_blocks = false;      // the same ones came far faster a second time
};

// What a capacity probe is after, and what may be tried for it.
struct Goal {
  std::optional<double> iops;  // promised, of random I/O; empty: a first attempt is as good as any
  unsigned most_depth = 0;     // as deep as a second attempt may go; 0: the depth is not a guess
  bool may_be_fresh = false;   // nobody of ours has written the blocks: they may never have been
                               // read, and a volume from a snapshot is slow until they were
};

// Makes an attempt. Errc::exhausted: its queue could not be opened, so that it has spent nothing.
// Any other Error: it broke off, and has spent nobody knows what.
using MakeAttempt = std::function<Result<Attempt>(const Approach&)>;

// The attempts of one run with these limits: the first with the engine that is wanted, and what
// next_approach() says after it. Of blocks that may be fresh a first attempt that is below the goal
// is made once more on the same ones, in a quarter of the time that is kept back for it; its own
// figures stay.
Result<Attempt> make_attempts(const ProbeSpec& spec, Engine wanted, const Goal& goal,
                              const MakeAttempt& make);

// What to do after a first attempt, where the limits leave enough for figures that count: threads,
// when io_uring (not the operator's own choice) kept fewer I/Os in flight than it was told to, as
// on file systems that serialise it; twice the depth, when it was a guess and the goal was not
// reached. Empty: the first attempt stands.
std::optional<Approach> next_approach(const ProbeSpec& spec, Engine wanted, const Goal& goal,
                                      const Attempt& first);

// Whether the figures of the second attempt are to be taken: a tenth faster, or on another engine
// as fast with as many in flight as asked for.
bool is_better(const ProbeSpec& spec, const Attempt& second, const Attempt& first);

}  // namespace storage_probe::worker
