// SPDX-License-Identifier: Apache-2.0
#include "wire/report.h"

#include "wire/archive.h"
#include "wire/fields.h"

namespace storage_probe::wire {

template <>
inline constexpr Outcome kLast<Outcome> = Outcome::stuck;
template <>
inline constexpr StopReason kLast<StopReason> = StopReason::busy;
template <>
inline constexpr Doubt kLast<Doubt> = Doubt::unsteady;
template <>
inline constexpr Deferral kLast<Deferral> = Deferral::budget;
template <>
inline constexpr TargetState kLast<TargetState> = TargetState::stuck;
template <>
inline constexpr Phase kLast<Phase> = Phase::measure;

template <typename Archive>
void fields(Archive& archive, Progress& progress) {
  archive("phase", progress.phase);
  archive("done", progress.done);
  archive("elapsed", progress.elapsed);
  archive("iops", progress.iops);
}

template <typename Archive>
void fields(Archive& archive, Failure& failure) {
  archive("code", failure.code);
  archive("message", failure.message);
}

namespace {

// Bucket, count, bucket, count: half as long as an array of pairs.
std::vector<std::uint64_t> flatten(const LatencyHistogram::Sparse& buckets) {
  std::vector<std::uint64_t> flat;
  flat.reserve(2 * buckets.size());
  for (const auto& [bucket, count] : buckets) {
    flat.push_back(bucket);
    flat.push_back(count);
  }
  return flat;
}

std::optional<LatencyHistogram> restore(const std::vector<std::uint64_t>& flat,
                                        const LatencyHistogram::Moments& moments) {
  if (flat.size() % 2 != 0) return std::nullopt;
  LatencyHistogram::Sparse buckets;
  for (std::size_t i = 0; i < flat.size(); i += 2) {
    if (!std::in_range<std::uint32_t>(flat[i])) return std::nullopt;
    buckets.emplace_back(static_cast<std::uint32_t>(flat[i]), flat[i + 1]);
  }
  return LatencyHistogram::restore(buckets, moments);
}

}  // namespace

template <typename Archive>
void fields(Archive& archive, LatencyHistogram& histogram) {
  std::vector<std::uint64_t> flat = flatten(histogram.to_sparse());
  LatencyHistogram::Moments moments = histogram.moments();
  archive("buckets", flat);
  archive("sum", moments.sum_seconds);
  archive("sum_squares", moments.sum_squares);
  archive("min", moments.min);
  archive("max", moments.max);
  if constexpr (Archive::kReads) {
    if (auto restored = restore(flat, moments)) {
      histogram = *std::move(restored);
    } else {
      archive.fail("no histogram");
    }
  }
}

template <typename Archive>
void fields(Archive& archive, OperationStats& stats) {
  archive("ios", stats.ios);
  archive("bytes", stats.bytes);
  archive("latency", stats.latency);
}

template <typename Archive>
void fields(Archive& archive, RateDrop& drop) {
  archive("head_iops", drop.head_iops);
  archive("tail_iops", drop.tail_iops);
  archive("head", drop.head);
}

template <typename Archive>
void fields(Archive& archive, RateProfile& profile) {
  archive("window", profile.window);
  archive("rates", profile.rates);
  archive("mean_error", profile.mean_error);
  archive("steady", profile.steady);
  archive("drop", profile.drop);
}

template <typename Archive>
void fields(Archive& archive, Verification& verification) {
  archive("blocks", verification.blocks);
  archive("torn", verification.torn);
  archive("stale", verification.stale);
  archive("first_bad", verification.first_bad);
}

template <typename Archive>
void fields(Archive& archive, Measurement& measured) {
  archive("operations", measured.operations);
  archive("duration", measured.duration);
  archive("stopped_by", measured.stopped_by);
  archive("cpu_user", measured.cpu_user);
  archive("cpu_system", measured.cpu_system);
  archive("cpu_busiest", measured.cpu_busiest);
  archive("rings", measured.rings);
  archive("profile", measured.profile);
  archive("verification", measured.verification);
  archive("used", measured.used);
  archive("elapsed", measured.elapsed);
  archive("retries", measured.retries);
  archive("short_ios", measured.short_ios);
  archive("errors", measured.errors);
  archive("clock_suspect", measured.clock_suspect);
}

template <typename Archive>
void fields(Archive& archive, Device& device) {
  archive("name", device.name);
  archive("number", device.number);
  archive("volume_id", device.volume_id);
  archive("leaf", device.leaf);
  archive("size", device.size);
}

template <typename Archive>
void fields(Archive& archive, MountIdentity& identity) {
  archive("mountpoint", identity.mountpoint);
  archive("fs_type", identity.fs_type);
  archive("source", identity.source);
  archive("device", identity.device);
  archive("volume_id", identity.volume_id);
  archive("volume_type", identity.volume_type);
  archive("provider", identity.provider);
  archive("backend", identity.backend);
  archive("devices", identity.devices);
  archive("size", identity.size);
}

template <typename Archive>
void fields(Archive& archive, DeviceActivity& device) {
  archive("name", device.name);
  archive("ios", device.ios);
  archive("bytes", device.bytes);
  archive("other_iops", device.other_iops);
  archive("other_throughput", device.other_throughput);
}

template <typename Archive>
void fields(Archive& archive, ProbeReport& report) {
  archive("target", report.target);
  archive("path", report.path);
  archive("spec", report.spec);
  archive("outcome", report.outcome);
  archive("state", report.state);
  archive("failure", report.failure);
  archive("deferral", report.deferral);
  archive("started", report.started);
  archive("ended", report.ended);
  archive("engine", report.engine);
  archive("engine_note", report.engine_note);
  archive("direct_io", report.direct_io);
  archive("file_bytes", report.file_bytes);
  archive("measured", report.measured);
  archive("layout", report.layout);
  archive("layout_elapsed", report.layout_elapsed);
  archive("identity", report.identity);
  archive("device", report.device);
  archive("doubts", report.doubts);
  archive("cgroup_limit", report.cgroup_limit);
}

template <typename Archive>
void fields(Archive& archive, Cleaned& cleaned) {
  archive("path", cleaned.path);
  archive("what", cleaned.what);
  archive("is_removed", cleaned.is_removed);
}

struct Envelope {
  std::optional<Progress> progress;
  std::optional<Cleaned> cleaned;
  std::optional<ProbeReport> report;
};

template <typename Archive>
void fields(Archive& archive, Envelope& envelope) {
  archive("progress", envelope.progress);
  archive("cleaned", envelope.cleaned);
  archive("report", envelope.report);
}

static std::string encode(Envelope envelope) { return Writer::to_json(envelope).dump() + '\n'; }

std::string encode(const Progress& progress) { return encode(Envelope{progress, {}, {}}); }
std::string encode(const Cleaned& cleaned) { return encode(Envelope{{}, cleaned, {}}); }
std::string encode(const ProbeReport& report) { return encode(Envelope{{}, {}, report}); }

Result<Line> decode_line(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.size() > kMaxLine.value) {
    return Unexpected(Error{Errc::exhausted, "line: longer than " + to_text(kMaxLine)});
  }
  const auto json = parse_json(line);
  if (!json) return Unexpected(Error{Errc::invalid, "line: not JSON"});
  Envelope envelope;
  if (auto read = Reader::from_json(*json, envelope); !read) {
    return Unexpected(read.error().in("line"));
  }
  const auto is_there = [](const auto& part) { return part ? 1 : 0; };
  const int parts =
      is_there(envelope.progress) + is_there(envelope.cleaned) + is_there(envelope.report);
  if (parts != 1) return Unexpected(Error{Errc::invalid, "line: not one thing of those a line is"});
  if (envelope.cleaned) return Line(*std::move(envelope.cleaned));
  if (envelope.report) return Line(*std::move(envelope.report));
  return Line(*envelope.progress);
}

}  // namespace storage_probe::wire
