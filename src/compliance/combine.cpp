// SPDX-License-Identifier: Apache-2.0
#include "compliance/combine.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace storage_probe::compliance {
namespace {

using Layout = VolumeSpec::Layout;
using Figure = std::optional<double> Promise::*;

constexpr std::array<Figure, 6> kFigures{
    &Promise::iops,       &Promise::throughput,      &Promise::read_iops,
    &Promise::write_iops, &Promise::read_throughput, &Promise::write_throughput};

std::optional<double> least(const std::vector<Promise>& parts, Figure figure) {
  std::optional<double> lowest;
  for (const Promise& part : parts) {
    if (!(part.*figure)) return std::nullopt;
    lowest = std::min(lowest.value_or(*(part.*figure)), *(part.*figure));
  }
  return lowest;
}

std::optional<double> sum(const std::vector<Promise>& parts, Figure figure) {
  double total = 0;
  for (const Promise& part : parts) {
    if (!(part.*figure)) return std::nullopt;
    total += *(part.*figure);
  }
  return total;
}

// The operator's word is worth most, so the least worthy of the parts says what the whole is worth.
std::string least_worthy(const std::vector<Promise>& parts) {
  for (const char* const from : {"none", "derived", "file"})
    for (const Promise& part : parts)
      if (part.from == from) return from;
  return "config";
}

// `factor` times the least of the parts.
Promise times_least(const std::vector<Promise>& parts, double factor) {
  Promise whole;
  for (const Figure figure : kFigures)
    if (const auto lowest = least(parts, figure)) whole.*figure = factor * *lowest;
  return whole;
}

// Promises of a mirror's sides, reads and writes apart.
Promise apart(Promise part) {
  if (!part.read_iops) part.read_iops = part.iops;
  if (!part.write_iops) part.write_iops = part.iops;
  if (!part.read_throughput) part.read_throughput = part.throughput;
  if (!part.write_throughput) part.write_throughput = part.throughput;
  part.iops.reset();
  part.throughput.reset();
  return part;
}

Promise mirrored(const std::vector<Promise>& parts) {
  std::vector<Promise> sides(parts.size());
  std::transform(parts.begin(), parts.end(), sides.begin(), apart);
  Promise whole = times_least(sides, 1);
  whole.read_iops = sum(sides, &Promise::read_iops);
  return whole;
}

Promise whole_of(const std::vector<Promise>& parts, Layout layout) {
  Promise whole;
  switch (layout) {
    case Layout::stripe:
      whole = times_least(parts, static_cast<double>(parts.size()));
      break;
    case Layout::mirror:
      whole = mirrored(parts);
      break;
    case Layout::linear:
    case Layout::unset:
      whole = times_least(parts, 1);
      break;
  }
  whole.from = whole.known() ? least_worthy(parts) : "none";
  return whole;
}

// Buckets that all parts have alike are one, `factor` times the least; else nothing is followed.
std::vector<Bucket> buckets_of(const std::vector<Terms>& parts, double factor) {
  std::vector<Bucket> whole = parts.front().buckets;
  for (const Terms& part : parts) {
    if (part.buckets.size() != whole.size()) return {};
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (part.buckets[i].unit != whole[i].unit) return {};
      whole[i].capacity = std::min(whole[i].capacity, part.buckets[i].capacity);
      whole[i].baseline = std::min(whole[i].baseline, part.buckets[i].baseline);
      whole[i].burst = std::min(whole[i].burst, part.buckets[i].burst);
    }
  }
  for (Bucket& bucket : whole) {
    bucket.capacity *= factor;
    bucket.baseline *= factor;
    bucket.burst *= factor;
  }
  return whole;
}

// What holds for both.
Terms common(Terms whole, const Terms& part) {
  if (part.type != whole.type) whole.type.clear();
  if (part.io_cap != whole.io_cap) whole.io_cap = {};
  if (!part.note.empty()) whole.note = part.note;
  whole.accuses = whole.accuses && part.accuses;
  whole.threshold = std::min(whole.threshold, part.threshold);
  if (part.objective && whole.objective)
    whole.objective = std::min(*whole.objective, *part.objective);
  else
    whole.objective.reset();
  return whole;
}

}  // namespace

Terms combined(const std::vector<Terms>& parts, Layout layout) {
  assert(!parts.empty());
  Terms whole = parts.front();
  std::vector<Promise> bases;
  std::vector<Promise> bursts;
  for (const Terms& part : parts) {
    bases.push_back(part.volume);
    bursts.push_back(part.burst);
    whole = common(std::move(whole), part);
  }
  const double factor = layout == Layout::stripe ? static_cast<double>(parts.size()) : 1;
  whole.volume = whole_of(bases, layout);
  // Credits of a mirror's sides are spent by all writes and some reads: nobody can follow them.
  whole.burst = layout == Layout::mirror ? Promise{} : whole_of(bursts, layout);
  whole.buckets = layout == Layout::mirror ? std::vector<Bucket>{} : buckets_of(parts, factor);
  return whole;
}

Promise lower_of(const Promise& old, const Promise& now) {
  Promise lower = now;
  for (const Figure figure : kFigures)
    if (old.*figure && now.*figure) lower.*figure = std::min(*(old.*figure), *(now.*figure));
  return lower;
}

}  // namespace storage_probe::compliance
