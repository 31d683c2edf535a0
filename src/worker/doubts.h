// SPDX-License-Identifier: Apache-2.0
// What speaks against the figures of a run: a pure function of what was measured and of what the
// host counted meanwhile.
//
// The proof that the device was touched. What the device has completed, less what is ours, is
// others' I/O; that it is too *little* is the only mismatch that others cannot explain. So the
// count must be at least 0.95 of ours, and there is no upper bound: more is others' I/O, or ours
// cut to what the device takes at once, read again by a checksum or written twice by a mirror, all
// of which make us look slower than we were and never faster. For random I/O the count of requests
// and their bytes must both do, for neighbours that were merged on their way were not done one by
// one. A sequential probe is about bytes: its large requests are cut and merged at will. An NFS
// client merges nothing, but with parallel servers not all of its calls are counted, so there it is
// bytes. Others' I/O can hide that ours was answered by a cache; then the run is contended.
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"
#include "model/probe_report.h"
#include "model/probe_spec.h"
#include "model/promise.h"

namespace storage_probe::worker {

// What was there to be seen while an attempt ran, besides its own figures.
struct RunFacts {
  enum class Witness {
    none,    // nothing counts here
    device,  // `counted` is of block devices
    server,  // `counted` is what an NFS client has asked its server for
    lost,    // it counted before the run, and could not be asked afterwards
  };
  Witness witness = Witness::none;
  Usage counted;      // reads and writes completed, ours included
  Usage ours;         // what of these must have been ours, see answered_requests()
  double stolen = 0;  // share of the machine's processors
  double waited = 0;  // share of the time in which the submitting thread waited for a processor
  Promise cgroup;     // what this process's own control groups allow on the device; by operation
};

// What was known before it ran.
struct Background {
  bool has_holes = false;         // the file has parts that are read without any I/O
  bool caches_direct_io = false;  // this file system may answer direct I/O from memory
  std::optional<Duration> idle_latency;
  Promise promise;
  bool has_met_fresh_blocks = false;  // the same blocks came far faster a second time
};

// By weight, each once; none for latency probes, whose figures stand for themselves.
std::vector<Doubt> find_doubts(const ProbeSpec& spec, const Measurement& measured,
                               const RunFacts& facts, const Background& background);

// What is promised to a probe of this mix of operations; empty for one that mixes what is promised
// apart.
std::optional<double> promised_iops(const ProbeSpec& spec, const Promise& promise);
// Reads and writes per second; 0 where nothing was measured.
double rate_of(const Measurement& measured);
// Whether clearly fewer were in flight than the spec asks for.
bool is_depth_limited(const ProbeSpec& spec, const Measurement& measured);

// Whether the device has completed less than what is ours.
bool is_short(const ProbeSpec& spec, const RunFacts& facts);

}  // namespace storage_probe::worker
