// SPDX-License-Identifier: Apache-2.0
#include "wire/result.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/units.h"
#include "model/percentile.h"

namespace storage_probe::wire {
namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order of the documentation

void add(Json& object, const char* key, double number) {
  if (std::isfinite(number)) object[key] = number;
}
void add(Json& object, const char* key, const std::optional<double>& number) {
  if (number) add(object, key, *number);
}
void add(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json latency_object(const LatencyHistogram& latency) {
  Json object;
  add(object, "min", to_seconds(latency.min()));
  add(object, "mean", latency.mean_seconds());
  add(object, "stddev", latency.stddev_seconds());
  add(object, "max", to_seconds(latency.max()));
  for (const Percentile& percentile : kPercentiles) {
    if (latency.count() < percentile.min_samples) continue;
    const auto value = latency.quantile(percentile.quantile);
    if (value) object["p" + std::string(percentile.name)] = to_seconds(*value);
  }
  return object;
}

Json operation_object(const OperationStats& stats, Duration window) {
  Json object;
  object["ios"] = stats.ios;
  object["bytes"] = stats.bytes.value;
  if (window > Duration{}) {
    add(object, "iops", static_cast<double>(stats.ios) / to_seconds(window));
    add(object, "bytes_per_second", static_cast<double>(stats.bytes.value) / to_seconds(window));
  }
  if (stats.latency.count() > 0) object["latency_seconds"] = latency_object(stats.latency);
  return object;
}

Json profile_object(const RateProfile& profile) {
  Json object;
  object["steady"] = profile.steady;
  add(object, "mean_error_ratio", profile.mean_error);
  add(object, "window_seconds", to_seconds(profile.window));
  object["iops"] = Json::array();
  for (const double rate : profile.rates) object["iops"].push_back(rate);
  if (!profile.drop) return object;
  Json& drop = object["drop"];
  add(drop, "head_iops", profile.drop->head_iops);
  add(drop, "tail_iops", profile.drop->tail_iops);
  add(drop, "head_seconds", to_seconds(profile.drop->head));
  return object;
}

void add_measurement(Json& object, const ProbeReport& report) {
  const Measurement& measured = report.measured;
  if (measured.duration <= Duration{}) return;
  add(object, "duration_seconds", to_seconds(measured.duration));
  object["stopped_by"] = to_text(measured.stopped_by);
  Json operations = Json::object();
  for (const Operation operation : kOperations) {
    const OperationStats& stats = measured.operations[operation];
    if (stats.ios == 0) continue;
    operations[std::string(to_text(operation))] = operation_object(stats, measured.duration);
  }
  object["ops"] = std::move(operations);
  if (report.spec.kind == Kind::capacity)
    add(object, "effective_queue_depth", depth_in_use(report.spec, measured));
  object["cpu_seconds"] = {{"user", to_seconds(measured.cpu_user)},
                           {"system", to_seconds(measured.cpu_system)}};
  if (measured.rings > 1) object["rings"] = measured.rings;
  if (measured.profile) object["profile"] = profile_object(*measured.profile);
  if (measured.verification) {
    const Verification& found = *measured.verification;
    object["verified"] = {{"blocks", found.blocks}, {"torn", found.torn}, {"stale", found.stale}};
  }
}

Json identity_object(const MountIdentity& identity) {
  Json object = Json::object();
  add(object, "mountpoint", identity.mountpoint);
  add(object, "fstype", identity.fs_type);
  add(object, "source", identity.source);
  add(object, "volume_id", identity.volume_id);
  add(object, "volume_type", identity.volume_type);
  add(object, "provider", identity.provider);
  return object;
}

Json promise_object(const Promise& promise) {
  Json object;
  add(object, "iops", promise.iops);
  add(object, "throughput", promise.throughput);
  add(object, "read_iops", promise.read_iops);
  add(object, "write_iops", promise.write_iops);
  add(object, "read_throughput", promise.read_throughput);
  add(object, "write_throughput", promise.write_throughput);
  object["from"] = promise.from;
  return object;
}

Json verdict_object(const Judgement& judgement) {
  Json object;
  object["verdict"] = to_text(judgement.verdict);
  object["reason"] = to_text(judgement.reason);
  add(object, "ratio", judgement.ratio());
  add(object, "iops_ratio", judgement.iops_ratio);
  add(object, "throughput_ratio", judgement.throughput_ratio);
  add(object, "detail", judgement.detail);
  return object;
}

void add_what_ran(Json& object, const ProbeReport& report) {
  add(object, "target", report.target);
  object["path"] = report.path;
  object["probe"] = report.spec.name;
  object["outcome"] = to_text(report.outcome);
  if (report.engine != Engine::automatic) {
    object["engine"] = to_text(report.engine);
    object["direct_io"] = report.direct_io;
  }
  object["block_size"] = report.spec.block_size.value;
  if (report.spec.kind == Kind::latency) {
    object["queue_depth"] = 1;
  } else if (report.spec.queue_depth) {
    object["queue_depth"] = *report.spec.queue_depth;
  }
  if (report.file_bytes.value > 0) object["file_bytes"] = report.file_bytes.value;
}

}  // namespace

std::string result_json(const ProbeReport& report, const Promise& promise,
                        const std::optional<Judgement>& judgement) {
  Json object;
  add_what_ran(object, report);
  if (report.failure) {
    object["error"] = {{"code", report.failure->code}, {"message", report.failure->message}};
  }
  add_measurement(object, report);
  if (report.device) {
    object["device"]["name"] = report.device->name;
    object["device"]["ios"] = report.device->ios;
    add(object["device"], "other_iops", report.device->other_iops);
  }
  if (Json identity = identity_object(report.identity); !identity.empty()) {
    object["identity"] = std::move(identity);
  }
  if (!report.doubts.empty()) {
    Json& doubts = object["doubts"] = Json::array();
    for (const Doubt doubt : report.doubts) doubts.push_back(to_text(doubt));
  }
  if (report.cgroup_limit.known()) object["cgroup_limit"] = promise_object(report.cgroup_limit);
  if (promise.known()) object["promise"] = promise_object(promise);
  if (judgement) object["verdict"] = verdict_object(*judgement);
  const Usage used = report.used();
  object["used"] = {
      {"seconds", to_seconds(used.time)}, {"bytes", used.bytes.value}, {"ios", used.ops.value}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace storage_probe::wire
