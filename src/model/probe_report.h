// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/latency_histogram.h"
#include "model/probe_spec.h"
#include "model/promise.h"
#include "model/target.h"

namespace storage_probe {

// The enumerators are the values of the metric label `result`.
enum class Outcome { ok, failed, timed_out, stuck };
// `busy`: others used the device too much for it to go on.
enum class StopReason { time, ios, bytes, certain, busy };

// What speaks against a run's figures, in the order of its weight: the first one found is the
// reason that is given.
enum class Doubt {
  clock_suspect,        // the clock stepped or stood still while it ran
  cache_suspect,        // the device saw fewer I/Os than were done: a cache, holes or merging
  too_few_samples,      // not enough I/Os to tell a rate from chance
  contended,            // others used the device so much that the run was ended early
  cgroup_limited,       // a limit on this service's own control group is below the promise
  cpu_limited,          // the processor or this program was the limit
  queue_depth_limited,  // fewer I/Os were in flight than the probe asks for
  init_suspect,  // the same blocks were far faster the second time: they came from a snapshot
  unsteady,      // the rate changed while it was measured
};

std::string_view to_text(Outcome outcome);
std::string_view to_text(StopReason reason);
std::string_view to_text(Doubt doubt);

// Why a run did not finish. `code` is from a closed set: a TargetState's text, or one of io_error
// timed_out stuck busy worker_failed. `message` says what was met and what cures it.
struct Failure {
  std::string code;
  std::string message;
};

// Why a run has ended before it did any I/O, and is neither a run nor a failure: the hosts that
// share the mount take turns, or have spent what they may. A value of the label `reason` of skips.
enum class Deferral { shared_lease, budget };

std::string_view to_text(Deferral deferral);

struct OperationStats {
  std::uint64_t ios = 0;
  Bytes bytes;
  LatencyHistogram latency;
};

// The name of an errno value from a closed set ("EIO"), or "other"; the label `errno`. 0 stands for
// a read that returned no bytes inside the file, as a device removed under load answers: "EIO".
std::string_view errno_name(int errno_value);

// A rate that fell once and stayed low, as when a burst ends: before and after.
struct RateDrop {
  double head_iops = 0, tail_iops = 0;
  Duration head{};  // how long it was high, warm-up left out
};

// How even the rate of completed reads and writes was: of equal sub-windows that follow each other
// without a gap, in their order.
struct RateProfile {
  Duration window{};          // of each
  std::vector<double> rates;  // I/Os per second, completed in each
  double mean_error = 0;      // half of the mean's 95 % interval, as a share of the mean
  bool steady = false;        // by SNIA's rule: range at most 20 %, slope at most 10 % of the mean
  std::optional<RateDrop> drop;
};

// What reading back found of what a run has written.
struct Verification {
  std::uint64_t blocks = 0;        // read back
  std::uint64_t torn = 0;          // in parts that do not belong together, or damaged
  std::uint64_t stale = 0;         // whole, but not what was written there last
  std::optional<Bytes> first_bad;  // the offset in the file of the first that is torn or stale
};

// What one run measured: the measured window only, warm-up left out. Made by the engine.
struct Measurement {
  PerOperation<OperationStats> operations;
  Duration duration{};
  StopReason stopped_by = StopReason::time;
  Duration cpu_user{}, cpu_system{};
  Duration cpu_busiest{};                    // of the submitting thread that used most
  unsigned rings = 1;                        // submitting threads
  std::optional<RateProfile> profile;        // capacity only
  std::optional<Verification> verification;  // where the probe verifies
  PerOperation<Usage> used;     // warm-up included; only bytes and ops, the time is `elapsed`
  Duration elapsed{};           // warm-up included
  std::uint64_t retries = 0;    // EAGAIN
  std::uint64_t short_ios = 0;  // resubmitted for the rest
  std::map<std::string, std::uint64_t> errors;  // by errno_name
  bool fsync_failed = false;                    // what was written may be lost; not on the wire
  bool gave_up = false;                         // too many failed in a row; not on the wire
  bool clock_suspect = false;                   // it went back, jumped, or the machine slept
};

// How many I/Os were in flight on average, by Little's law: IOPS x mean latency, of which the I/Os
// cancel out. An fsync has a place in the queue only where the probe has a cadence of them. 0 where
// nothing was measured.
double depth_in_use(const ProbeSpec& spec, const Measurement& measured);

// What the block device counted while the measurement ran.
struct DeviceActivity {
  std::string name;
  std::uint64_t ios = 0;  // completed at the device, ours included
  Bytes bytes;
  double other_iops = 0;        // what was not ours, per second
  double other_throughput = 0;  // bytes per second
};

// What a run brings back, whatever came of it. A failed run carries what is known: its state, its
// failure and what it spent.
struct ProbeReport {
  std::string target;  // empty for a bare path
  std::string path;
  ProbeSpec spec;  // as run: queue depth resolved
  Outcome outcome = Outcome::failed;
  TargetState state = TargetState::unknown;  // what preflight found
  std::optional<Failure> failure;            // set unless outcome is ok
  std::optional<Deferral> deferral;          // then the failure says what was in the way
  WallTime started;
  WallTime ended;
  Engine engine = Engine::automatic;  // the one that ran; automatic when none did
  std::string engine_note;            // why io_uring was not used; empty when it was
  bool direct_io = false;
  Bytes file_bytes;  // 0 when there is no complete probe file
  Measurement measured;
  PerOperation<Usage> layout;  // what laying the probe file out has used, bytes and ops
  Duration layout_elapsed{};
  MountIdentity identity;
  std::optional<DeviceActivity> device;
  std::vector<Doubt> doubts;  // each at most once, by weight
  Promise cgroup_limit;       // of this process, on the device; `from` names the control group

  // Everything that the run has spent, layout and warm-up included.
  Usage used() const;
};

}  // namespace storage_probe
