// SPDX-License-Identifier: Apache-2.0
#include "targets/activity_watch.h"

#include <algorithm>

#include "targets/resolve.h"

namespace storage_probe::targets {
namespace {

bool is_number(std::string_view part) {
  return part.find_first_not_of("0123456789:") == std::string_view::npos;
}

// A counter that went backwards, as that of a device that was replaced, has counted nothing.
template <typename Number>
Number grown(Number before, Number after) {
  return after > before ? after - before : Number{};
}

DeviceSecond second_between(const CounterSample& before, const CounterSample& after,
                            bool has_ours) {
  DeviceSecond second;
  second.end = after.at;
  second.length = after.at - before.at;
  second.reads = grown(before.counters.reads, after.counters.reads);
  second.writes = grown(before.counters.writes, after.counters.writes);
  second.bytes_read = grown(before.counters.bytes_read, after.counters.bytes_read);
  second.bytes_written = grown(before.counters.bytes_written, after.counters.bytes_written);
  const double queued = to_seconds(grown(before.counters.queue_time, after.counters.queue_time));
  if (second.length > Duration{}) second.in_flight = queued / to_seconds(second.length);
  second.in_flight_at_end = static_cast<double>(after.counters.in_flight.value);
  second.has_ours = has_ours;
  return second;
}

}  // namespace

void ActivityWatch::watch(const Target& target, const MountIdentity& identity) {
  const auto leaves = leaf_numbers(identity);
  Parts parts(leaves.begin(), leaves.end());
  if (parts.empty() && !identity.source.empty()) parts.insert(identity.source);
  DeviceWatch device(identity, roots_);
  const BusyLimits limits = busy_limits(target.volume.promise, target.busy);
  const auto found = watched_.find(target.name);
  if (found == watched_.end() || found->second.parts != parts ||
      found->second.device.name() != device.name()) {
    watched_.insert_or_assign(
        target.name,
        Watched{std::move(device), std::move(parts), target.busy, limits, {}, {}, {}, 0, false});
    return;
  }
  found->second.rule = target.busy;
  found->second.limits = limits;
}

void ActivityWatch::run_begins(const std::string& target) {
  const auto found = watched_.find(target);
  if (found == watched_.end()) return;
  running_[target] = found->second.parts;
  held_.insert(found->second.parts.begin(), found->second.parts.end());
}

bool ActivityWatch::is_held(const Parts& parts) const {
  return std::any_of(parts.begin(), parts.end(),
                     [this](const std::string& part) { return held_.contains(part); });
}

void ActivityWatch::look_at(const std::string& name, Watched& target, SteadyTime now) {
  target.looks = std::min(target.looks + 1, 2U);
  target.maintenance = target.device.maintenance();
  const auto counters = target.device.read();
  target.is_counted = counters.has_value();
  if (!counters) {
    target.activity.forget();
    target.last.reset();
    return;
  }
  const CounterSample sample{*counters, now};
  const bool has_ours = is_held(target.parts);
  target.activity.add(sample,
                      has_ours ? Activity::Second::ours_too : Activity::Second::others_only);
  if (target.last) seconds_[name] = second_between(*target.last, sample, has_ours);
  target.last = sample;
}

void ActivityWatch::sample(SteadyTime now) {
  seconds_.clear();
  for (auto& [name, target] : watched_) look_at(name, target, now);
  sample_volumes(now);
  held_.clear();
  for (const auto& [name, parts] : running_) held_.insert(parts.begin(), parts.end());
}

// Each once, whichever targets are on it.
void ActivityWatch::sample_volumes(SteadyTime now) {
  if (!instance_.known()) return volumes_.clear();
  Parts all;
  for (const auto& [name, target] : watched_) {
    std::copy_if(target.parts.begin(), target.parts.end(), std::inserter(all, all.end()),
                 [](const std::string& part) { return is_number(part); });
  }
  std::erase_if(volumes_, [&](const auto& volume) { return !all.contains(volume.first); });
  for (const std::string& number : all) {
    const auto counters = read_counters(roots_.sysfs, number);
    if (!counters) continue;
    volumes_[number].add({*counters, now}, held_.contains(number) ? Activity::Second::ours_too
                                                                  : Activity::Second::others_only);
  }
}

OtherIo ActivityWatch::host_total(SteadyTime now) const {
  OtherIo total;
  for (const auto& [number, activity] : volumes_) {
    const auto others = activity.others(now);
    if (!others) continue;
    total.iops += others->iops;
    total.throughput += others->throughput;
  }
  return total;
}

std::string ActivityWatch::why_host_is_busy(const BusyRule& rule, const OtherIo& total) const {
  if (!instance_.known()) return {};
  const std::string why = targets::why_busy(total, busy_limits(instance_, rule));
  return why.empty() ? why : "on all volumes of this host " + why;
}

std::map<std::string, std::string> ActivityWatch::busy(SteadyTime now) const {
  std::map<std::string, std::string> busy;
  const OtherIo total = host_total(now);
  for (const auto& [name, target] : watched_) {
    std::string why = target.maintenance;
    if (why.empty()) why = target.activity.why_busy(target.limits, now);
    if (why.empty()) why = why_host_is_busy(target.rule, total);
    if (!why.empty()) busy[name] = std::move(why);
  }
  return busy;
}

std::set<std::string> ActivityWatch::undecided() const {
  std::set<std::string> undecided;
  for (const auto& [name, target] : watched_) {
    const bool may_count = target.looks == 0 || target.is_counted;
    if (target.looks < 2 && may_count) undecided.insert(name);
  }
  return undecided;
}

}  // namespace storage_probe::targets
