// SPDX-License-Identifier: Apache-2.0
#include "wire/plan.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace storage_probe::wire {
namespace {

using Json = nlohmann::ordered_json;  // keys stay in the order of the documentation

void add(Json& object, const char* key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) object[key] = *number;
}

Json usage_object(const Usage& usage) {
  return {
      {"ios", usage.ops.value}, {"bytes", usage.bytes.value}, {"seconds", to_seconds(usage.time)}};
}

Json period_object(const Usage& day, Bytes written, unsigned days) {
  return {{"ios", day.ops.value * days},
          {"bytes", day.bytes.value * days},
          {"written_bytes", written.value * days},
          {"seconds", to_seconds(day.time) * days}};
}

void add_periods(Json& object, const Usage& day, Bytes written) {
  object["per_day"] = period_object(day, written, 1);
  object["per_month"] = period_object(day, written, kDaysOfMonth);
}

Json probe_object(const ProbeCost& cost) {
  Json object;
  object["probe"] = cost.probe;
  object["interval_seconds"] = to_seconds(cost.every);
  object["runs_per_day"] = cost.runs;
  object["paid_runs_per_day"] = cost.paid_runs;
  object["per_run"] = usage_object(cost.run);
  add_periods(object, cost.day, cost.written);
  add(object, "promise_share_ratio", cost.promise_share);
  add(object, "allowance_share_ratio", cost.allowance_share);
  if (cost.added_latency) object["added_latency_seconds"] = to_seconds(*cost.added_latency);
  return object;
}

Json credits_array(const std::vector<CreditUse>& uses) {
  Json array = Json::array();
  for (const CreditUse& use : uses) {
    Json& object = array.emplace_back();
    object["unit"] = use.unit == Bucket::Unit::ios ? "ios" : "bytes";
    add(object, "per_day", use.day);
    add(object, "earned_share_ratio", use.earned_share);
  }
  return array;
}

Json bill_object(const Bill& bill) {
  return {{"dollars_per_day", bill.day}, {"dollars_per_month", bill.day * kDaysOfMonth},
          {"dollars_once", bill.once},   {"region", bill.region},
          {"source", bill.source},       {"as_of", bill.as_of},
          {"confirmed", bill.confirmed}};
}

Json target_object(const TargetCost& cost) {
  Json object;
  object["target"] = cost.target;
  object["probes"] = Json::array();
  for (const ProbeCost& probe : cost.probes) object["probes"].push_back(probe_object(probe));
  add_periods(object, cost.day, cost.written);
  object["layout"] = usage_object(cost.layout);
  Json& allowance = object["allowance_per_day"] = usage_object(cost.allowance);
  if (cost.allowance.time == Duration{}) allowance.erase("seconds");
  add(object, "promise_share_ratio", cost.promise_share);
  add(object, "allowance_share_ratio", cost.allowance_share);
  const TypeCost& type = cost.by_type;
  if (!type.type.empty()) object["volume_type"] = type.type;
  if (!type.credits.empty()) object["credits"] = credits_array(type.credits);
  if (type.bill) object["bill"] = bill_object(*type.bill);
  if (!type.warnings.empty()) object["warnings"] = type.warnings;
  return object;
}

}  // namespace

std::string plan_json(const PlanCost& cost) {
  Json object;
  object["targets"] = Json::array();
  for (const TargetCost& target : cost.targets) object["targets"].push_back(target_object(target));
  add_periods(object, cost.day, cost.written);
  object["layout"] = usage_object(cost.layout);
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace storage_probe::wire
