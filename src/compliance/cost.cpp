// SPDX-License-Identifier: Apache-2.0
#include "compliance/cost.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace storage_probe::compliance {
namespace {

constexpr double kDay = 24 * 3600;
// A probe that costs more than so many times its bytes, or so much of the credits, is worth a word.
constexpr double kDear = 2;
constexpr double kMuchCredit = 0.1;
// The layout of a probe file writes with these.
constexpr Bytes kLayoutBlock = kMiB;

// I/Os of one size, reads and writes apart.
struct Load {
  Bytes block;
  double reads = 0, writes = 0;
};

double as_double(Bytes bytes) { return static_cast<double>(bytes.value); }

Load load_of(const Usage& day, const ProbeSpec& spec) {
  const auto ios = static_cast<double>(day.ops.value);
  const double read_share = spec.read_percent / 100.0;
  return {spec.block_size, ios * read_share, ios * (1 - read_share)};
}

Load layout_of(const Usage& layout) {
  return {kLayoutBlock, 0, std::ceil(as_double(layout.bytes) / as_double(kLayoutBlock))};
}

// How many I/Os a large one counts as.
double ios_of(Bytes block, Bytes unit) {
  return unit.value == 0 ? 1 : std::ceil(as_double(block) / as_double(unit));
}

double credits_of(const Load& load, const Bucket& bucket, Bytes io_cap) {
  switch (bucket.unit) {
    case Bucket::Unit::ios:
      return (load.reads + load.writes) * ios_of(load.block, io_cap);
    case Bucket::Unit::bytes: {
      const double least = as_double(bucket.least_charge);
      const double read = std::max(bucket.read_weight * as_double(load.block), least);
      return load.reads * read + load.writes * std::max(as_double(load.block), least);
    }
  }
  return 0;
}

double dollars_of(const Load& load, const Price& price, double above_baseline) {
  const double bytes = std::max(as_double(load.block), as_double(price.least_charge));
  const double ios = (load.reads + load.writes) * ios_of(load.block, price.io_unit);
  switch (price.of) {
    case Price::Of::read_bytes:
      return load.reads * bytes / price.per * price.dollars;
    case Price::Of::written_bytes:
      return load.writes * bytes / price.per * price.dollars;
    case Price::Of::ios:
      return ios / price.per * price.dollars;
    case Price::Of::ios_above_baseline:
      return above_baseline * ios / price.per * price.dollars;
  }
  return 0;
}

// What share of its I/Os a probe does beyond the baseline, at the most that the volume gives.
double share_above_baseline(const ProbeSpec& spec, const Terms& terms) {
  if (spec.kind == Kind::latency || !terms.burst.iops || !terms.volume.iops) return 0;
  return 1 - *terms.volume.iops / *terms.burst.iops;
}

std::optional<Bill> bill_of(const TargetCost& plan, const Target& target, const Terms& terms,
                            const VolumeType& type) {
  if (type.prices.empty()) return std::nullopt;
  const Price& first = type.prices.front();
  Bill bill{0, 0, first.region, first.as_of, first.source, true};
  for (const Price& price : type.prices) {
    bill.confirmed = bill.confirmed && price.confirmed;
    bill.once += dollars_of(layout_of(plan.layout), price, 0);
    for (std::size_t i = 0; i < plan.probes.size(); ++i) {
      const ProbeSpec& spec = target.probes[i].spec;
      bill.day +=
          dollars_of(load_of(plan.probes[i].day, spec), price, share_above_baseline(spec, terms));
    }
  }
  return bill;
}

std::vector<CreditUse> credits_of(const TargetCost& plan, const Target& target,
                                  const Terms& terms) {
  std::vector<CreditUse> uses;
  for (const Bucket& bucket : terms.buckets) {
    CreditUse use{bucket.unit, 0, 0};
    for (std::size_t i = 0; i < plan.probes.size(); ++i)
      use.day +=
          credits_of(load_of(plan.probes[i].day, target.probes[i].spec), bucket, terms.io_cap);
    if (bucket.baseline > 0) use.earned_share = use.day / (bucket.baseline * kDay);
    uses.push_back(use);
  }
  return uses;
}

// Of a probe of I/Os that cost many times what they move; empty where they do not.
std::string small_io_warning(const ProbeSpec& spec, const Terms& terms) {
  for (const Bucket& bucket : terms.buckets) {
    const double times = as_double(bucket.least_charge) / as_double(spec.block_size);
    if (bucket.unit != Bucket::Unit::bytes || times <= kDear) continue;
    return spec.name + ": each " + to_text(spec.block_size) + " I/O costs " + terms.type +
           " as many credits as " + to_text(bucket.least_charge) + ", " + human_count(times) +
           " times its bytes; probe it sequentially";
  }
  return {};
}

std::vector<std::string> warnings_of(const Target& target, const Terms& terms,
                                     const VolumeType& type,
                                     const std::vector<CreditUse>& credits) {
  std::vector<std::string> warnings;
  for (const PlannedProbe& planned : target.probes) {
    if (planned.spec.pattern != Pattern::random) continue;
    if (std::string dear = small_io_warning(planned.spec, terms); !dear.empty())
      warnings.push_back(std::move(dear));
    else if (type.is_hdd)
      warnings.push_back(planned.spec.name + ": random I/O on rotating disks, " + type.id +
                         ", tells more of their arms than of what was bought; probe sequentially");
  }
  for (const CreditUse& use : credits)
    if (use.earned_share > kMuchCredit)
      warnings.push_back("probes may use " + human_count(use.earned_share * 100) +
                         " % of the credits that the volume earns: raise every, or lower the "
                         "limits");
  return warnings;
}

}  // namespace

TypeCost type_cost_of(const TargetCost& plan, const Target& target, const Terms& terms,
                      const VolumeType& type) {
  TypeCost cost;
  cost.type = type.id;
  cost.credits = credits_of(plan, target, terms);
  cost.bill = bill_of(plan, target, terms, type);
  cost.warnings = warnings_of(target, terms, type, cost.credits);
  return cost;
}

}  // namespace storage_probe::compliance
