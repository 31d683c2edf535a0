// SPDX-License-Identifier: Apache-2.0
#include "wire/job.h"

#include "wire/archive.h"
#include "wire/fields.h"

namespace storage_probe::wire {

template <>
inline constexpr ProbeFileSpec::Mode kLast<ProbeFileSpec::Mode> = ProbeFileSpec::Mode::unnamed;
template <>
inline constexpr VolumeSpec::Per kLast<VolumeSpec::Per> = VolumeSpec::Per::client;
template <>
inline constexpr VolumeSpec::Layout kLast<VolumeSpec::Layout> = VolumeSpec::Layout::linear;
template <>
inline constexpr Errand kLast<Errand> = Errand::clean_up;
template <>
inline constexpr Shared kLast<Shared> = Shared::no;
template <>
inline constexpr IoPriority kLast<IoPriority> = IoPriority::idle;

template <typename Archive>
void fields(Archive& archive, Expectation& expect) {
  archive("fs_type", expect.fs_type);
  archive("source", expect.source);
  archive("volume_id", expect.volume_id);
}

template <typename Archive>
void fields(Archive& archive, VolumeMember& member) {
  archive("id", member.id);
  archive("iops", member.iops);
  archive("throughput", member.throughput);
}

template <typename Archive>
void fields(Archive& archive, VolumeSpec& volume) {
  archive("type", volume.type);
  archive("promise", volume.promise);
  archive("size", volume.size);
  archive("vpu", volume.vpu);
  archive("per", volume.per);
  archive("layout", volume.layout);
  archive("members", volume.members);
}

template <typename Archive>
void fields(Archive& archive, Objective& objective) {
  archive("latency", objective.latency);
  archive("ratio", objective.ratio);
}

template <typename Archive>
void fields(Archive& archive, ProbeFileSpec& file) {
  archive("mode", file.mode);
  archive("size", file.size);
  archive("directory", file.directory);
  archive("directory_is_explicit", file.directory_is_explicit);
  archive("path", file.path);
}

template <typename Archive>
void fields(Archive& archive, SpaceRule& space) {
  archive("min_free_ratio", space.min_free_ratio);
  archive("min_free_bytes", space.min_free_bytes);
}

template <typename Archive>
void fields(Archive& archive, BusyRule& busy) {
  archive("max_other_iops", busy.max_other_iops);
  archive("max_other_throughput", busy.max_other_throughput);
}

template <typename Archive>
void fields(Archive& archive, BudgetRule& budget) {
  archive("share", budget.share);
  archive("bytes_per_day", budget.bytes_per_day);
  archive("ios_per_day", budget.ios_per_day);
  archive("duty_cycle", budget.duty_cycle);
}

template <typename Archive>
void fields(Archive& archive, Target& target) {
  archive("name", target.name);
  archive("path", target.path);
  archive("device", target.device);
  archive("optional", target.optional);
  archive("any_directory", target.any_directory);
  archive("expect", target.expect);
  archive("volume", target.volume);
  archive("objective", target.objective);
  archive("file", target.file);
  archive("space", target.space);
  archive("busy", target.busy);
  archive("budget", target.budget);
  archive("shared", target.shared);
  archive("writes", target.writes);
  archive("engine", target.engine);
  archive("io_priority", target.io_priority);
  archive("labels", target.labels);
}

template <typename Archive>
void fields(Archive& archive, FleetTerms& fleet) {
  archive("allowance", fleet.allowance);
  archive("worst_case", fleet.worst_case);
  archive("layout", fleet.layout);
  archive("returns_in", fleet.returns_in);
}

template <typename Archive>
void fields(Archive& archive, Job& job) {
  archive("errand", job.errand);
  archive("force", job.force);
  archive("target", job.target);
  archive("spec", job.spec);
  archive("host_id", job.host_id);
  archive("layout_allowance", job.layout_allowance);
  archive("layout_per_day", job.layout_per_day);
  archive("layout_rate", job.layout_rate);
  archive("fleet", job.fleet);
  archive("idle_latency", job.idle_latency);
  archive("depth_is_automatic", job.depth_is_automatic);
  archive("yields", job.yields);
  archive("lock_directory", job.lock_directory);
  archive("keep_file", job.keep_file);
  archive("procfs", job.procfs);
  archive("sysfs", job.sysfs);
}

std::string encode(const Job& job) {
  Job copy = job;  // one description for both directions needs a mutable value
  return Writer::to_json(copy).dump();
}

Result<Job> decode_job(std::string_view text) {
  if (text.size() > kMaxJob.value) {
    return Unexpected(Error{Errc::exhausted, "job: longer than " + to_text(kMaxJob)});
  }
  const auto json = parse_json(text);
  if (!json) return Unexpected(Error{Errc::invalid, "job: not JSON"});
  Job job;
  if (auto read = Reader::from_json(*json, job); !read) return Unexpected(read.error().in("job"));
  return job;
}

}  // namespace storage_probe::wire
