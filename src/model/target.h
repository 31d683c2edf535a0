// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "model/probe_spec.h"
#include "model/promise.h"

namespace storage_probe {

// A block device of a mount's stack. Names are the kernel's ("nvme1n1p1").
struct Device {
  std::string name;
  std::string number;     // "259:3"
  std::string volume_id;  // the provider's id; empty where none is visible
  bool leaf = true;       // false: the top of a stack (dm, md, partition)
  Bytes size{};

  bool operator==(const Device&) const = default;
};

// What the kernel says is mounted under a path. Read from mountinfo and sysfs, never from the mount
// itself: a mount that hangs still has an identity. Unknown strings are empty.
struct MountIdentity {
  std::string mountpoint;
  std::string fs_type;  // "ext4", "nfs4"
  std::string source;   // "/dev/nvme1n1", "fs-1:/export"
  std::string device;   // kernel name of the top device; empty for network file systems
  std::string volume_id;
  std::string volume_type;
  std::string provider;
  std::string backend;          // what fails together: volume id, NFS server
  std::vector<Device> devices;  // the stack: the top first, then the leaves
  Bytes size{};                 // of the volume, or of the stack's top; 0: not known

  bool operator==(const MountIdentity&) const = default;
};

// What tells a volume apart, for what is kept of it: the provider's id, of a stack the ids of all
// its leaves, the name that it was given (/dev/mapper), else the kernel's or the source. Empty:
// nothing is known.
std::string volume_key(const MountIdentity& identity);
// Kernel names wander between boots and hot plugs, and an id may be seen only later: ids decide
// where both have them.
bool same_volume(const MountIdentity& a, const MountIdentity& b);

// Refuse to touch anything else than this; empty members are not compared.
struct Expectation {
  std::string fs_type, source, volume_id;

  bool operator==(const Expectation&) const = default;
  bool empty() const { return fs_type.empty() && source.empty() && volume_id.empty(); }
};

// Where a target's probe file is and how large. `managed` is laid out and owned by this program;
// `existing` is the operator's, read and never written; `unnamed` has no name and vanishes with the
// process (the command line's probes of a bare path).
struct ProbeFileSpec {
  enum class Mode { managed, existing, unnamed };

  Mode mode = Mode::managed;
  std::optional<Bytes> size;                 // empty: 1 % of the volume, 64 MiB to 1 GiB
  std::string directory = ".storage-probe";  // managed: relative to the target's path
  bool directory_is_explicit = false;        // the operator's word: overrides data_directory
  std::string path;                          // existing: relative to the target's path

  bool operator==(const ProbeFileSpec&) const = default;
};

// Free space that must remain after layout: the smaller of the two.
struct SpaceRule {
  double min_free_ratio = 0.05;
  Bytes min_free_bytes = kGiB;

  bool operator==(const SpaceRule&) const = default;
};

// Others' I/O above this makes capacity probes wait; ratios of the promise.
struct BusyRule {
  double max_other_iops = 0.5;
  double max_other_throughput = 0.5;

  bool operator==(const BusyRule&) const = default;
};

// What probing may spend on a target in 24 h.
struct BudgetRule {
  double share = 0.01;  // of what the promise allows in a day
  Bytes bytes_per_day{16 * kGiB.value};
  Ops ios_per_day{4'000'000};
  double duty_cycle = 0.01;  // seconds of capacity probes and layouts

  bool operator==(const BudgetRule&) const = default;
};

struct VolumeMember {
  std::string id;
  std::optional<double> iops;
  std::optional<double> throughput;  // bytes per second

  bool operator==(const VolumeMember&) const = default;
};

// What the operator says about the volume: the promise and where it applies.
struct VolumeSpec {
  std::string type;  // an id of the catalogue; empty: not said
  Promise promise;
  std::optional<Bytes> size;
  std::optional<unsigned> vpu;  // performance units bought for each GB, where there are such
  enum class Per { unset, filesystem, client } per = Per::unset;
  enum class Layout { unset, stripe, mirror, linear } layout = Layout::unset;
  std::vector<VolumeMember> members;

  bool operator==(const VolumeSpec&) const = default;
};

struct Objective {
  Duration latency{};
  double ratio = 0;

  bool operator==(const Objective&) const = default;
};

enum class Shared { automatic, yes, no };

// How the kernel's I/O scheduler ranks what a probe does: as what started the exporter ("none" in
// text), after others, or only when nobody else wants the device.
enum class IoPriority { inherited, best_effort, idle };
std::string_view to_text(IoPriority priority);

// One probe of a target and how often it runs.
struct PlannedProbe {
  ProbeSpec spec;
  Duration every{};
  // Limits that nobody has set: they leave room for what the volume turns out to be promised.
  bool has_default_ios = false, has_default_bytes = false;

  // Whose word a limit is makes no other probe of it.
  bool operator==(const PlannedProbe& other) const {
    return spec == other.spec && every == other.every;
  }
};

// A target as configured, all defaults filled in. Exactly one of `path` and `device` is set.
struct Target {
  std::string name;  // unique; the label `target` of every metric
  std::filesystem::path path;
  std::filesystem::path device;
  bool optional = false;
  bool any_directory = false;  // exempt from the mount-point rule: not from config, but from code
  Expectation expect;
  VolumeSpec volume;
  std::optional<Objective> objective;
  std::vector<PlannedProbe> probes;
  ProbeFileSpec file;
  SpaceRule space;
  BusyRule busy;
  BudgetRule budget;
  Shared shared = Shared::automatic;
  bool writes = false;  // whether write probes are allowed
  Engine engine = Engine::automatic;
  IoPriority io_priority = IoPriority::inherited;
  std::map<std::string, std::string> labels;  // the operator's own

  bool operator==(const Target&) const = default;
};

// Enumerators are the label values of storage_probe_target_state_info.
enum class TargetState {
  unknown,  // no probe has looked at it yet
  ready,
  preparing,
  not_mounted,
  wrong_mount,
  not_a_disk,
  direct_io_rejected,
  permission_denied,
  read_only,
  no_space,
  data_directory,
  file_conflict,
  io_error,
  namespace_mismatch,
  stuck,
};
inline constexpr std::array kTargetStates{TargetState::unknown,
                                          TargetState::ready,
                                          TargetState::preparing,
                                          TargetState::not_mounted,
                                          TargetState::wrong_mount,
                                          TargetState::not_a_disk,
                                          TargetState::direct_io_rejected,
                                          TargetState::permission_denied,
                                          TargetState::read_only,
                                          TargetState::no_space,
                                          TargetState::data_directory,
                                          TargetState::file_conflict,
                                          TargetState::io_error,
                                          TargetState::namespace_mismatch,
                                          TargetState::stuck};

std::string_view to_text(TargetState state);
std::optional<TargetState> parse_target_state(std::string_view text);

}  // namespace storage_probe
