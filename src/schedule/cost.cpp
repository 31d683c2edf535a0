// SPDX-License-Identifier: Apache-2.0
#include "schedule/cost.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "model/allowance.h"
#include "model/worst_case.h"
#include "schedule/plan.h"
#include "schedule/windows.h"

namespace storage_probe::schedule {
namespace {

using std::chrono::minutes;

constexpr std::chrono::hours kDay{24};

double count(Bytes bytes) { return static_cast<double>(bytes.value); }
double count(Ops ops) { return static_cast<double>(ops.value); }

Usage times(const Usage& one, double factor) {
  const auto scaled = [factor](double value) {
    return static_cast<std::uint64_t>(std::ceil(value * factor * (1 - 1e-12)));
  };
  return {from_seconds(to_seconds(one.time) * factor), Bytes{scaled(count(one.bytes))},
          Ops{scaled(count(one.ops))}};
}

// How much of the day's allowance that is, in whatever it uses most of.
double share_of(const Usage& used, const Usage& allowance) {
  const auto ratio = [](double part, double whole) {
    if (part <= 0) return 0.0;
    return whole > 0 ? part / whole : HUGE_VAL;
  };
  const double of_time =
      allowance.time > Duration{} ? ratio(to_seconds(used.time), to_seconds(allowance.time)) : 0;
  return std::max({of_time, ratio(count(used.bytes), count(allowance.bytes)),
                   ratio(count(used.ops), count(allowance.ops))});
}

// The runs of a day. Each time that the windows open there may be one more than fits in: the one
// that waited.
double runs_a_day(const PlannedProbe& planned, const Windows& windows) {
  const double all = to_seconds(kDay) / std::max(to_seconds(planned.every), 1.0);
  const bool is_heavy = planned.spec.kind == Kind::capacity;
  double inside = 0;
  bool was_closed = false;
  bool is_ever_closed = false;
  minutes open{0};
  for (minutes time{0}; time < kDay; ++time) {
    const bool is_closed =
        (is_heavy ? closed_to_capacity(windows, time) : closed_to_all(windows, time)).has_value();
    is_ever_closed = is_ever_closed || is_closed;
    if (!is_closed) ++open;
    if (was_closed && !is_closed) ++inside;
    was_closed = is_closed;
  }
  if (!is_ever_closed) return all;
  if (inside == 0 && open > minutes(0)) inside = 1;  // opens at midnight
  return std::min(all, inside + to_seconds(open) / std::max(to_seconds(planned.every), 1.0));
}

ProbeCost cost_of(const Target& target, const PlannedProbe& planned, const Windows& windows) {
  const ProbeSpec& spec = planned.spec;
  ProbeCost cost;
  cost.probe = spec.name;
  cost.every = planned.every;
  cost.runs = runs_a_day(planned, windows);
  cost.run = worst_case(target, spec);
  cost.added_latency = added_latency(spec, target.volume);
  return cost;
}

// Of what the promise allows in a day the larger share, of I/Os or of bytes.
std::optional<double> share_of_promise(const Usage& day, const ProbeSpec& spec,
                                       const Promise& promise) {
  std::optional<double> share;
  if (const auto iops = promised_iops(spec, promise); iops && *iops > 0)
    share = count(day.ops) / (*iops * to_seconds(kDay));
  if (const auto rate = promised_throughput(spec, promise); rate && *rate > 0)
    share = std::max(share.value_or(0), count(day.bytes) / (*rate * to_seconds(kDay)));
  return share;
}

// Gives each probe the runs that are paid for, the cheap ones first.
void pay(TargetCost& cost) {
  std::vector<std::size_t> order(cost.probes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto price = [&](std::size_t i) { return share_of(cost.probes[i].run, cost.allowance); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return price(a) < price(b); });
  Usage spent;
  for (const std::size_t i : order) {
    ProbeCost& probe = cost.probes[i];
    // What is left pays for the least number of runs that any member allows.
    double paid = price(i) <= 1 ? probe.runs : 0;
    const auto limit = [&paid](double left, double each) {
      if (each > 0) paid = std::min(paid, std::max(left, 0.0) / each);
    };
    limit(count(cost.allowance.bytes) - count(spent.bytes), count(probe.run.bytes));
    limit(count(cost.allowance.ops) - count(spent.ops), count(probe.run.ops));
    if (cost.allowance.time > Duration{})
      limit(to_seconds(cost.allowance.time - spent.time), to_seconds(probe.run.time));
    probe.paid_runs = paid < probe.runs ? std::floor(paid) : probe.runs;
    probe.day = times(probe.run, probe.paid_runs);
    spent += probe.day;
  }
}

TargetCost cost_of(const Target& target, const Windows& windows) {
  TargetCost cost;
  cost.target = target.name;
  cost.allowance = allowance_of(target.budget, target.volume.promise);
  cost.layout = layout_usage(target);
  for (const PlannedProbe& planned : target.probes)
    cost.probes.push_back(cost_of(target, planned, windows));
  pay(cost);
  for (std::size_t i = 0; i < cost.probes.size(); ++i) {
    ProbeCost& probe = cost.probes[i];
    const ProbeSpec& spec = target.probes[i].spec;
    probe.written = times({{}, most_written(spec), {}}, probe.paid_runs).bytes;
    probe.promise_share = share_of_promise(probe.day, spec, target.volume.promise);
    probe.allowance_share = share_of(probe.day, cost.allowance);
    cost.day += probe.day;
    cost.written += probe.written;
    if (probe.promise_share)
      cost.promise_share = cost.promise_share.value_or(0) + *probe.promise_share;
  }
  cost.allowance_share = share_of(cost.day, cost.allowance);
  return cost;
}

}  // namespace

PlanCost cost_of(const config::Config& config) {
  PlanCost cost;
  for (const Target& target : config.targets) {
    const TargetCost& added = cost.targets.emplace_back(cost_of(target, config.windows));
    cost.day += added.day;
    cost.written += added.written;
    cost.layout += added.layout;
  }
  return cost;
}

std::string summary(const PlanCost& cost) {
  const std::size_t targets = cost.targets.size();
  return "at most " + human_count(count(cost.day.ops)) + " I/Os and " +
         human_bytes(cost.day.bytes) + " a day, " + human_bytes(cost.written) +
         " of it written, over " + std::to_string(targets) +
         (targets == 1 ? " target" : " targets") + "; once " + human_bytes(cost.layout.bytes) +
         " for the probe files";
}

}  // namespace storage_probe::schedule
