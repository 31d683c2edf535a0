// SPDX-License-Identifier: Apache-2.0
#include "compliance/terms.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "compliance/combine.h"
#include "compliance/derive.h"

namespace storage_probe::compliance {
namespace {

// One volume: what the operator says of it, and what else is known of the same.
struct Volume {
  VolumeSpec spec;
  const VolumeSpec* entry = nullptr;  // of the book
  std::string type;                   // as it was found
  Bytes size{};                       // as it was found; 0: not
};

const VolumeSpec* find_entry(const PromiseBook& book, const std::string& id) {
  const auto found = id.empty() ? book.end() : book.find(id);
  return found == book.end() ? nullptr : &found->second;
}

// Everything that is known of the volume, in one.
VolumeSpec merged(const Volume& volume) {
  VolumeSpec all = volume.spec;
  if (const VolumeSpec* const entry = volume.entry) {
    if (all.type.empty()) all.type = entry->type;
    if (!all.size) all.size = entry->size;
    if (!all.vpu) all.vpu = entry->vpu;
    all.promise = completed(all.promise, entry->promise);
  }
  if (all.type.empty()) all.type = volume.type;
  if (!all.size && volume.size.value > 0) all.size = volume.size;
  return all;
}

double capacity_of(const BucketRule& rule, const std::optional<Bytes>& size, double above) {
  const double gib =
      size ? static_cast<double>(size->value) / static_cast<double>(kGiB.value) : 0.0;
  return std::max({rule.credits, rule.credits_per_gib * gib, to_seconds(rule.full_burst) * above});
}

std::vector<Bucket> buckets_of(const VolumeType& type, const Terms& terms,
                               const std::optional<Bytes>& size) {
  std::vector<Bucket> buckets;
  for (const BucketRule& rule : type.buckets) {
    const bool of_ios = rule.unit == Bucket::Unit::ios;
    const auto& base = of_ios ? terms.volume.iops : terms.volume.throughput;
    const auto& burst = of_ios ? terms.burst.iops : terms.burst.throughput;
    if (!base || !burst) continue;
    const double capacity = capacity_of(rule, size, *burst - *base);
    if (capacity > 0)
      buckets.push_back({rule.unit, capacity, *base, *burst, rule.least_charge, rule.read_weight});
  }
  return buckets;
}

Promise bounded(Promise promise, const Promise& limit) {
  const auto bound = [](std::optional<double>& figure, const std::optional<double>& by) {
    if (by) figure = figure ? std::min(*figure, *by) : *by;
  };
  bound(promise.iops, limit.iops);
  bound(promise.throughput, limit.throughput);
  return promise;
}

void apply(const VolumeType& type, const VolumeSpec& volume, Terms& terms) {
  terms.as_of = type.as_of;
  terms.io_cap = type.io_cap;
  terms.threshold = type.threshold;
  terms.objective = type.objective;
  terms.instance = bounded(terms.instance, type.client);
  const Derived derived = derive(type, volume);
  if (!derived.missing.empty()) terms.note = type.id + ": " + derived.missing;
  const bool is_ground = type.confirmed && type.is_promised && derived.is_confirmed;
  if (!is_ground && volume.promise.known()) return;  // what is said stands alone
  terms.accuses = is_ground;
  terms.volume = completed(volume.promise, derived.base);
  terms.burst = derived.burst;
  terms.buckets = buckets_of(type, terms, volume.size);
}

Terms terms_of(const Volume& known, const Catalogue& catalogue, const Promise& instance) {
  const VolumeSpec volume = merged(known);
  Terms terms;
  terms.type = volume.type;
  terms.volume = volume.promise;
  terms.instance = instance;
  if (const VolumeType* const type = find_type(catalogue, volume.type)) {
    apply(*type, volume, terms);
    return terms;
  }
  terms.accuses = volume.promise.known();
  if (terms.accuses) return terms;
  terms.note =
      volume.type.empty()
          ? "the volume's type is not known: set volume.type and volume.size, or "
            "volume.iops and volume.throughput"
          : "the catalogue has no type " + volume.type + ": set volume.iops and volume.throughput";
  return terms;
}

Bytes size_of(const MountIdentity& identity, const std::string& volume_id) {
  for (const Device& device : identity.devices)
    if (device.leaf && device.volume_id == volume_id) return device.size;
  return {};
}

std::vector<Volume> said_members(const VolumeSpec& spec, const MountIdentity& identity,
                                 const PromiseBook& book) {
  std::vector<Volume> volumes;
  for (const VolumeMember& member : spec.members) {
    Volume& volume = volumes.emplace_back();
    volume.spec.type = spec.type;
    volume.spec.promise.iops = member.iops;
    volume.spec.promise.throughput = member.throughput;
    if (volume.spec.promise.known()) volume.spec.promise.from = "config";
    volume.entry = find_entry(book, member.id);
    volume.type = identity.volume_type;
    volume.size = size_of(identity, member.id);
  }
  return volumes;
}

// The leaves of a stack of several volumes. A type that the operator names is that of each. Several
// paths to one volume (multipath) are that volume.
std::vector<Volume> found_members(const VolumeSpec& spec, const MountIdentity& identity,
                                  const PromiseBook& book) {
  std::vector<Volume> volumes;
  std::set<std::string> ids;
  for (const Device& device : identity.devices) {
    if (!device.leaf) continue;
    if (!device.volume_id.empty() && !ids.insert(device.volume_id).second) continue;
    Volume& volume = volumes.emplace_back();
    volume.spec.type = spec.type;
    volume.spec.vpu = spec.vpu;
    volume.entry = find_entry(book, device.volume_id);
    volume.type = identity.volume_type;
    volume.size = device.size;
  }
  return volumes.size() > 1 ? volumes : std::vector<Volume>{};
}

// A volume on its own. What is mounted may be a part of it: what it has is what its device has.
Volume only_volume(const VolumeSpec& spec, const MountIdentity& identity, const PromiseBook& book) {
  Volume volume{spec, find_entry(book, identity.volume_id), identity.volume_type, identity.size};
  for (const Device& device : identity.devices) {
    if (!device.leaf) continue;
    if (volume.entry == nullptr) volume.entry = find_entry(book, device.volume_id);
    if (device.size.value > 0) volume.size = device.size;
  }
  return volume;
}

bool is_limit_shared(VolumeSpec::Per per, const MountIdentity& identity) {
  if (per == VolumeSpec::Per::client) return false;
  if (identity.fs_type.empty()) return per == VolumeSpec::Per::filesystem;
  return identity.device.empty() && identity.devices.empty();
}

}  // namespace

Terms terms_of(const VolumeSpec& spec, const MountIdentity& identity, const Catalogue& catalogue,
               const PromiseBook& book, const Promise& instance) {
  std::vector<Volume> members = said_members(spec, identity, book);
  if (members.empty()) members = found_members(spec, identity, book);
  Terms terms;
  if (members.empty()) {
    terms = terms_of(only_volume(spec, identity, book), catalogue, instance);
  } else {
    std::vector<Terms> parts(members.size());
    std::transform(members.begin(), members.end(), parts.begin(),
                   [&](const Volume& member) { return terms_of(member, catalogue, instance); });
    terms = combined(parts, spec.layout);
    // What is said of the whole says it of the whole.
    terms.volume = completed(spec.promise, terms.volume);
    if (spec.promise.known()) {
      terms.burst = {};
      terms.buckets.clear();
      terms.accuses = true;
    }
  }
  terms.limit_is_shared = is_limit_shared(spec.per, identity);
  return terms;
}

Terms lower_of(const Terms& old, const Terms& now) {
  Terms lower = now;
  lower.volume = lower_of(old.volume, now.volume);
  lower.burst = lower_of(old.burst, now.burst);
  if (old.buckets.size() != now.buckets.size()) return lower;
  for (std::size_t i = 0; i < now.buckets.size(); ++i) {
    Bucket& bucket = lower.buckets[i];
    bucket.capacity = std::min(bucket.capacity, old.buckets[i].capacity);
    bucket.baseline = std::min(bucket.baseline, old.buckets[i].baseline);
    bucket.burst = std::min(bucket.burst, old.buckets[i].burst);
  }
  return lower;
}

}  // namespace storage_probe::compliance
