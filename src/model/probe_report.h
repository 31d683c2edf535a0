// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "model/latency_histogram.h"
#include "model/probe_spec.h"
#include "model/target.h"

namespace storage_probe {

// The enumerators are the values of the metric label `result`.
enum class Outcome { ok, failed, timed_out, stuck };
enum class StopReason { time, ios, bytes, certain };

std::string_view to_text(Outcome outcome);
std::string_view to_text(StopReason reason);

// Why a run did not finish. `code` is from a closed set: a TargetState's text, or one of io_error
// timed_out stuck busy worker_failed. `message` says what was met and what cures it.
struct Failure {
  std::string code;
  std::string message;
};

struct OperationStats {
  std::uint64_t ios = 0;
  Bytes bytes;
  LatencyHistogram latency;
};

// The name of an errno value from a closed set ("EIO"), or "other"; the label `errno`. 0 stands for
// a read that returned no bytes inside the file, as a device removed under load answers: "EIO".
std::string_view errno_name(int errno_value);

// What one run measured: the measured window only, warm-up left out. Made by the engine.
struct Measurement {
  PerOperation<OperationStats> operations;
  Duration duration{};
  StopReason stopped_by = StopReason::time;
  Duration cpu_user{}, cpu_system{};
  PerOperation<Usage> used;     // warm-up included; only bytes and ops, the time is `elapsed`
  Duration elapsed{};           // warm-up included
  std::uint64_t retries = 0;    // EAGAIN
  std::uint64_t short_ios = 0;  // resubmitted for the rest
  std::map<std::string, std::uint64_t> errors;  // by errno_name
  bool fsync_failed = false;                    // what was written may be lost; not on the wire
};

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

  // Everything that the run has spent, layout and warm-up included.
  Usage used() const;
};

}  // namespace storage_probe
