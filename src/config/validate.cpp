// SPDX-License-Identifier: Apache-2.0
#include "config/validate.h"

#include <algorithm>
#include <map>
#include <optional>

#include "config/words.h"
#include "model/allowance.h"
#include "model/worst_case.h"

namespace storage_probe::config {
namespace {

constexpr std::size_t kMostLabels = 5;
constexpr std::string_view kEveryTarget = "all";
// What a probe file of no stated size has at least.
constexpr Bytes kDefaultFile{64 * kMiB.value};
constexpr Bytes kMostInFlight = kGiB;  // is memory, too

std::string with_article(Kind kind) {
  return kind == Kind::latency ? "a latency probe" : "a capacity probe";
}

void check_kind(const ProbeDraft& draft, Problems& problems) {
  const Kind kind = draft.planned.spec.kind;
  const auto refuse = [&](const std::string& key, const std::string& why) {
    if (draft.set.has(key))
      problems.refuse(draft.where(key),
                      "has no meaning for " + with_article(kind) + ", " + why + ": remove it");
  };
  switch (kind) {
    case Kind::latency:
      refuse("queue_depth", "which has one I/O in flight");
      refuse("rings", "which has one I/O in flight");
      refuse("stop_early", "which lasts as long as limits.time");
      return;
    case Kind::capacity:
      refuse("rate", "which goes as fast as the volume lets it");
      return;
  }
}

void check_writes(const ProbeDraft& draft, Problems& problems) {
  const ProbeSpec& spec = draft.planned.spec;
  if (spec.writes()) return;
  for (const char* const key : {"fsync_every", "verify"}) {
    const bool asked = key == std::string_view("verify") ? spec.verify : spec.fsync_every != 0;
    if (asked && draft.set.has(key))
      problems.refuse(draft.where(key),
                      "is for probes that write: remove it, or set read_percent below 100");
  }
}

void check_rings(const ProbeDraft& draft, Problems& problems) {
  const ProbeSpec& spec = draft.planned.spec;
  if (!spec.rings || !spec.queue_depth || *spec.rings <= *spec.queue_depth) return;
  problems.refuse(draft.where("rings"), std::to_string(*spec.rings) +
                                            " rings share a queue_depth of " +
                                            std::to_string(*spec.queue_depth) +
                                            ", and each needs one I/O in flight: lower rings, or "
                                            "raise queue_depth");
}

void check_buffers(const ProbeDraft& draft, Problems& problems) {
  const ProbeSpec& spec = draft.planned.spec;
  const unsigned depth = spec.queue_depth.value_or(1);
  const Bytes in_flight{spec.block_size.value * depth};
  if (in_flight <= kMostInFlight) return;
  problems.refuse(draft.where("queue_depth"),
                  std::to_string(depth) + " times " + to_text(spec.block_size) +
                      " in flight take more memory than " + to_text(kMostInFlight) +
                      ": lower queue_depth or block_size");
}

void check_limits(const ProbeDraft& draft, Problems& problems) {
  const ProbeSpec& spec = draft.planned.spec;
  if (draft.set.has("limits.bytes") && spec.limits.bytes < spec.block_size)
    problems.refuse(draft.where("limits.bytes"), to_text(spec.limits.bytes) +
                                                     " is less than one block of " +
                                                     to_text(spec.block_size) + ": raise it");
  if (spec.kind == Kind::latency && spec.rate * to_seconds(spec.limits.time) < 1)
    problems.refuse(draft.where("rate"), "no I/O falls into limits.time, " +
                                             to_text(spec.limits.time) +
                                             ": raise the rate or the time");
  const Duration every = draft.planned.every;
  if (every != Duration{} && every <= spec.limits.time)
    problems.refuse(draft.where("every"),
                    to_text(every) + " is not longer than the probe's own limits.time, " +
                        to_text(spec.limits.time) + ": raise every, or lower limits.time");
}

// Exactly one of path and device.
void check_place(const TargetDraft& draft, Problems& problems) {
  if (!draft.is_map) return;
  const bool path = draft.own_set.has("path");
  const bool device = draft.own_set.has("device");
  if (!draft.own_set.has("name"))
    problems.refuse(draft.place, "has no name: add one, as in name: mysql-data");
  if (path && device)
    problems.refuse(draft.where("device"),
                    "path and device exclude each other: remove one of them");
  if (!path && !device)
    problems.refuse(draft.place,
                    "has neither path nor device: add one, as in path: /var/lib/mysql");
}

void check_device(const TargetDraft& draft, Problems& problems) {
  if (!draft.own_set.has("device") || draft.own_set.has("path")) return;
  const auto refuse = [&](const std::string& key, const std::string& reason) {
    if (draft.own_set.has(key)) problems.refuse(draft.where(key), reason);
  };
  refuse("file", "a device has no probe file: remove it");
  refuse("space", "a device has no free space: remove it");
  refuse("expect.fstype", "a device target has no file system: remove it");
  if (draft.target.writes)
    refuse("writes", "a device is read only, always: set it to false, or name a path");
}

void check_write_probes(const TargetDraft& draft, Problems& problems) {
  const bool existing = draft.target.file.mode == ProbeFileSpec::Mode::existing;
  for (const ProbeDraft& probe : draft.probes) {
    if (!probe.planned.spec.writes()) continue;
    const std::string name = in_quotes(probe.planned.spec.name);
    if (!draft.target.device.empty())
      problems.refuse(probe.place, name +
                                       " writes, and a device is only ever read: "
                                       "choose a probe that only reads");
    else if (existing)
      problems.refuse(probe.place, name +
                                       " writes, and an existing file is only ever read: "
                                       "choose a probe that only reads");
    else if (!draft.target.writes)
      problems.refuse(probe.place, name +
                                       " writes, which this target does not allow: set writes: "
                                       "true on it, or choose a probe that only reads");
  }
}

void check_file(const TargetDraft& draft, Problems& problems) {
  const ProbeFileSpec& file = draft.target.file;
  if (file.mode == ProbeFileSpec::Mode::existing) {
    if (file.path.empty() && !draft.set.has("file.path"))
      problems.refuse(draft.where("file.mode"),
                      "existing needs file.path: the file to read, relative to the target's path");
    for (const char* const key : {"file.size", "file.directory"})
      if (draft.own_set.has(key))
        problems.refuse(draft.where(key), "has no meaning for an existing file: remove it");
  } else if (draft.set.has("file.path")) {
    problems.refuse(draft.where("file.path"),
                    "is only for mode: existing, which reads that file: "
                    "add the mode, or remove the path");
  }
}

// The file must hold what is in flight at once.
void check_file_size(const TargetDraft& draft, Problems& problems) {
  const ProbeFileSpec& file = draft.target.file;
  if (!draft.target.device.empty() || file.mode != ProbeFileSpec::Mode::managed) return;
  for (const ProbeDraft& probe : draft.probes) {
    const ProbeSpec& spec = probe.planned.spec;
    const Bytes in_flight{spec.block_size.value * spec.queue_depth.value_or(1)};
    if (file.size.value_or(kDefaultFile) >= in_flight) continue;
    problems.refuse(probe.place,
                    in_quotes(spec.name) + " has " + to_text(in_flight) +
                        " in flight, and the probe file " +
                        (file.size ? "is " : "may be as small as ") +
                        to_text(file.size.value_or(kDefaultFile)) +
                        ": lower queue_depth or block_size, or set a larger file.size");
  }
}

void check_probe_names(const TargetDraft& draft, Problems& problems) {
  std::map<std::string, unsigned> seen;
  for (const ProbeDraft& probe : draft.probes) {
    if (++seen[probe.planned.spec.name] < 2) continue;
    const std::string name = in_quotes(probe.planned.spec.name);
    problems.refuse(probe.where("name"), "a second probe of this target is named " + name +
                                             ": give it a name of its own, as in name: " +
                                             probe.planned.spec.name + "-2");
  }
}

void check_volume(const TargetDraft& draft, Problems& problems) {
  const VolumeSpec& volume = draft.target.volume;
  if (draft.set.has("volume.layout") && !draft.set.has("volume.members"))
    problems.refuse(draft.where("volume.layout"),
                    "is how volume.members form one volume: add "
                    "them, or remove it");
  if (!volume.members.empty() && !draft.set.has("volume.layout"))
    problems.refuse(draft.where("volume.members"),
                    "needs volume.layout: add stripe, mirror or linear");
  if (draft.target.objective)
    for (const char* const key : {"latency", "ratio"})
      if (!draft.set.has(std::string("objective.") + key))
        problems.refuse(draft.where("objective"),
                        std::string("has no ") + key + ": write {latency: 10ms, ratio: 99%}");
}

// What one run may use of a day's allowance, in the words of the configuration.
struct Price {
  const char* limit;  // the key that bounds the run
  const char* budget;
  bool is_share;  // the promise's share is less than what the budget's own key allows
  std::string run, day;
};

void refuse_price(const ProbeDraft& probe, const Price& price, Problems& problems) {
  problems.refuse(probe.where(price.limit),
                  "one run of " + in_quotes(probe.planned.spec.name) + " may use " + price.run +
                      ", and the budget of the target allows " + price.day + " a day" +
                      (price.is_share ? ", which is its share of the promise" : "") +
                      ": it would never run; lower " + price.limit + ", or raise " +
                      (price.is_share ? "budget.share" : price.budget));
}

// A run is paid for in advance and in full: one that a full bucket cannot pay for never starts.
void check_budget(const TargetDraft& draft, Problems& problems) {
  const BudgetRule& rule = draft.target.budget;
  const Usage day = allowance_of(rule, draft.target.volume.promise);
  for (const ProbeDraft& probe : draft.probes) {
    const Usage run = worst_case(draft.target, probe.planned.spec);
    if (run.ops > day.ops)
      refuse_price(probe,
                   {"limits.ios", "budget.ios_per_day", day.ops < rule.ios_per_day,
                    std::to_string(run.ops.value) + " I/Os", std::to_string(day.ops.value)},
                   problems);
    else if (run.bytes > day.bytes)
      refuse_price(probe,
                   {"limits.bytes", "budget.bytes_per_day", day.bytes < rule.bytes_per_day,
                    human_bytes(run.bytes), human_bytes(day.bytes)},
                   problems);
    else if (run.time > day.time)
      refuse_price(probe,
                   {"limits.time", "budget.duty_cycle", false, human_duration(run.time),
                    human_duration(day.time)},
                   problems);
  }
}

// Refuses what an earlier target has said already, in its name, path or device.
class Uniqueness {
 public:
  Uniqueness(std::string key, Problems& problems) : key_(std::move(key)), problems_(problems) {}

  void check(const TargetDraft& draft, const std::string& value) {
    if (value.empty()) return;
    const auto [first, fresh] = seen_.emplace(value, draft.where(key_));
    if (fresh) return;
    const Place& other = first->second;
    problems_.refuse(draft.where(key_),
                     "a target with the " + key_ + " " + in_quotes(value) + " is already in " +
                         problems_.file_name(other.file) + " line " +
                         std::to_string(other.mark.line) + ": " +
                         (key_ == "name" ? "rename one of them" : "keep one of them"));
  }

 private:
  std::string key_;
  Problems& problems_;
  std::map<std::string, Place> seen_;
};

}  // namespace

void check_probe(const ProbeDraft& draft, Problems& problems) {
  check_kind(draft, problems);
  check_writes(draft, problems);
  check_rings(draft, problems);
  check_buffers(draft, problems);
  check_limits(draft, problems);
}

void check_target(const TargetDraft& draft, Problems& problems) {
  check_place(draft, problems);
  check_device(draft, problems);
  check_file(draft, problems);
  check_file_size(draft, problems);
  check_write_probes(draft, problems);
  check_probe_names(draft, problems);
  check_volume(draft, problems);
  check_budget(draft, problems);
  if (const std::size_t count = draft.target.labels.size(); count > kMostLabels)
    problems.refuse(draft.where("labels"), std::to_string(count) + " labels, at most " +
                                               std::to_string(kMostLabels) +
                                               " are possible: remove some");
  for (const ProbeDraft& probe : draft.probes) check_probe(probe, problems);
}

void check_targets(const std::vector<TargetDraft>& drafts, Problems& problems) {
  if (drafts.size() > kMostTargets)
    problems.refuse(drafts[kMostTargets].place, std::to_string(drafts.size()) +
                                                    " targets, at most " +
                                                    std::to_string(kMostTargets) + " are possible");
  Uniqueness names("name", problems);
  Uniqueness paths("path", problems);
  Uniqueness devices("device", problems);
  for (const TargetDraft& draft : drafts) {
    if (draft.target.name == kEveryTarget)
      problems.refuse(draft.where("name"),
                      "\"all\" stands for every target in hold and release: choose another name");
    names.check(draft, draft.target.name);
    paths.check(draft, draft.target.path.string());
    devices.check(draft, draft.target.device.string());
  }
}

}  // namespace storage_probe::config
