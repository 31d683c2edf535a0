// SPDX-License-Identifier: Apache-2.0
#include "config/parse_catalogue.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "config/catalogue_text.h"
#include "config/parse_model.h"

namespace storage_probe::config {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kMostTypes = 512;
constexpr std::size_t kMostRules = 8;  // of buckets, of prices
constexpr double kMostCredits = 1e18;
constexpr double kMostDollars = 1e6;
constexpr Bytes kMostBytes{1024 * kGiB.value * 1024};

void read_sizes(const Value& value, VolumeType& type) {
  constexpr auto kKeys = std::to_array<std::string_view>({"least", "most"});
  for (const auto& [key, member] : value.fields(kKeys))
    set(key == "least" ? type.least_size : type.largest_size, member.bytes(kMiB, kMostBytes));
}

void read_client(const Value& value, VolumeType& type) {
  constexpr auto kKeys = std::to_array<std::string_view>({"iops", "throughput"});
  for (const auto& [key, member] : value.fields(kKeys)) {
    if (key == "iops") type.client.iops = plain_rate(member);
    if (key == "throughput") type.client.throughput = small_byte_rate(member);
  }
}

// Credits are counted in what the bucket is about: I/Os, or bytes, which have a unit.
std::optional<double> read_credits(const Value& value, Bucket::Unit unit) {
  if (unit == Bucket::Unit::ios) return value.number(0, kMostCredits);
  const auto bytes = value.bytes(Bytes{1}, kMostBytes);
  return bytes ? std::optional(static_cast<double>(bytes->value)) : std::nullopt;
}

BucketRule read_bucket(const Value& value) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"unit", "credits", "credits_per_gib", "full_burst", "least_charge", "read_weight"});
  constexpr std::array<std::pair<std::string_view, Bucket::Unit>, 2> kUnits{
      {{"ios", Bucket::Unit::ios}, {"bytes", Bucket::Unit::bytes}}};
  BucketRule rule;
  const Fields fields = value.fields(kKeys);
  if (const Value* unit = fields.find("unit"))
    set(rule.unit, unit->one_of<Bucket::Unit>(kUnits));
  else
    value.refuse("has no unit: write ios or bytes");
  for (const auto& [key, member] : fields) {
    if (key == "credits") set(rule.credits, read_credits(member, rule.unit));
    if (key == "credits_per_gib") set(rule.credits_per_gib, read_credits(member, rule.unit));
    if (key == "full_burst") set(rule.full_burst, member.duration(seconds(1), hours(24)));
    if (key == "least_charge") set(rule.least_charge, member.bytes(Bytes{1}, kGiB));
    if (key == "read_weight") set(rule.read_weight, member.number(0, 1));
  }
  return rule;
}

bool is_of_bytes(const Price& price) {
  return price.of == Price::Of::read_bytes || price.of == Price::Of::written_bytes;
}

void read_of(const Value& value, Price& price) {
  constexpr std::array<std::pair<std::string_view, Price::Of>, 4> kWords{
      {{"read_bytes", Price::Of::read_bytes},
       {"written_bytes", Price::Of::written_bytes},
       {"ios", Price::Of::ios},
       {"ios_above_baseline", Price::Of::ios_above_baseline}}};
  set(price.of, value.one_of<Price::Of>(kWords));
}

void read_per(const Value& value, Price& price) {
  constexpr Ops kMostIos{1'000'000'000'000};
  if (is_of_bytes(price))
    set(price.per, read_credits(value, Bucket::Unit::bytes));
  else if (const auto count = value.count(Ops{1}, kMostIos))
    price.per = static_cast<double>(count->value);
}

struct PriceKey {
  std::string_view name;
  void (*read)(const Value& value, Price& price);
  bool is_required;
};

// In the order in which one needs another.
constexpr std::array<PriceKey, 9> kPriceKeys{{
    {"of", read_of, true},
    {"dollars",
     [](const Value& value, Price& price) { set(price.dollars, value.number(0, kMostDollars)); },
     true},
    {"per", read_per, true},
    {"region", [](const Value& value, Price& price) { set(price.region, value.text()); }, true},
    {"source", [](const Value& value, Price& price) { set(price.source, value.text()); }, true},
    {"as_of", [](const Value& value, Price& price) { set(price.as_of, value.text()); }, true},
    {"least_charge",
     [](const Value& value, Price& price) { set(price.least_charge, value.bytes(Bytes{1}, kGiB)); },
     false},
    {"io_unit",
     [](const Value& value, Price& price) { set(price.io_unit, value.bytes(Bytes{1}, kGiB)); },
     false},
    {"confirmed", [](const Value& value, Price& price) { set(price.confirmed, value.yes_or_no()); },
     false},
}};

Price read_price(const Value& value) {
  std::array<std::string_view, kPriceKeys.size()> known{};
  std::transform(kPriceKeys.begin(), kPriceKeys.end(), known.begin(),
                 [](const PriceKey& key) { return key.name; });
  Price price;
  const Fields fields = value.fields(known);
  for (const PriceKey& key : kPriceKeys) {
    if (const Value* member = fields.find(key.name))
      key.read(*member, price);
    else if (key.is_required)
      value.refuse("has no " + std::string(key.name) + ": add it");
  }
  return price;
}

struct Key {
  std::string_view name;
  void (*read)(const Value& value, VolumeType& type);
};

constexpr std::array<Key, 13> kKeys{{
    {"id",
     [](const Value& value, VolumeType& type) {
       const auto id = value.text();
       if (const std::string flaw = id ? flaw_of_name(*id) : ""; !flaw.empty()) value.refuse(flaw);
       set(type.id, id);
       const std::size_t dot = type.id.find('.');
       if (dot != std::string::npos) type.provider = type.id.substr(0, dot);
     }},
    {"source", [](const Value& value, VolumeType& type) { set(type.source, value.text()); }},
    {"as_of", [](const Value& value, VolumeType& type) { set(type.as_of, value.text()); }},
    {"confirmed",
     [](const Value& value, VolumeType& type) { set(type.confirmed, value.yes_or_no()); }},
    {"promised",
     [](const Value& value, VolumeType& type) { set(type.is_promised, value.yes_or_no()); }},
    {"hdd", [](const Value& value, VolumeType& type) { set(type.is_hdd, value.yes_or_no()); }},
    {"size", read_sizes},
    {"io_cap",
     [](const Value& value, VolumeType& type) { set(type.io_cap, value.bytes(Bytes{512}, kGiB)); }},
    {"threshold",
     [](const Value& value, VolumeType& type) { set(type.threshold, value.percent(0.01, 1)); }},
    {"objective",
     [](const Value& value, VolumeType& type) {
       if (const auto share = value.percent(0.01, 0.99999)) type.objective = share;
     }},
    {"client", read_client},
    {"buckets",
     [](const Value& value, VolumeType& type) {
       for (const Value& entry : value.list(kMostRules)) type.buckets.push_back(read_bucket(entry));
     }},
    {"prices",
     [](const Value& value, VolumeType& type) {
       for (const Value& entry : value.list(kMostRules)) type.prices.push_back(read_price(entry));
     }},
}};

// The kind of model decides which further keys a row knows.
std::string kind_of(const Value& row) {
  const Fields all = row.fields();
  const Value* const model = all.find("model");
  if (model == nullptr) {
    row.refuse("has no model: write one of " + listed(model_kinds()));
    return {};
  }
  const auto kind = model->text();
  if (!kind) return {};
  const auto kinds = model_kinds();
  if (std::find(kinds.begin(), kinds.end(), *kind) != kinds.end()) return *kind;
  model->refuse(in_quotes(*kind) + " is unknown" + hint(*kind, kinds));
  return {};
}

VolumeType parse_row(const Value& row) {
  VolumeType type;
  if (!row.is_map()) {
    row.refuse("must be a map: write id, source, as_of and model");
    return type;
  }
  const std::string kind = kind_of(row);
  std::vector<std::string_view> known{"model"};
  for (const Key& key : kKeys) known.push_back(key.name);
  for (const std::string_view key : keys_of_model(kind)) known.push_back(key);
  const Fields fields = kind.empty() ? row.fields() : row.fields(known);
  for (const char* const key : {"id", "source", "as_of"})
    if (fields.find(key) == nullptr) row.refuse(std::string("has no ") + key + ": add it");
  for (const Key& key : kKeys)
    if (const Value* value = fields.find(key.name)) key.read(*value, type);
  type.model = parse_model(kind, fields);
  return type;
}

}  // namespace

Catalogue parse_catalogue(const Value& root) {
  Catalogue catalogue;
  for (const Value& row : root.list(kMostTypes)) {
    VolumeType type = parse_row(row);
    if (find_type(catalogue, type.id) != nullptr && !type.id.empty())
      row.refuse("a row with the id " + in_quotes(type.id) + " is above: keep one of them");
    else
      catalogue.push_back(std::move(type));
  }
  return catalogue;
}

const Catalogue& built_in_catalogue() {
  static const Catalogue catalogue = [] {
    Problems problems;
    const Place top{problems.add_file("volume-types.yml"), {}, {}};
    const Document document = parse_yaml(catalogue_text());
    assert(!document.refusal);
    Catalogue read = parse_catalogue(Value(document.root, top, problems));
    assert(problems.empty());
    return read;
  }();
  return catalogue;
}

std::string nearest_type(const Catalogue& catalogue, std::string_view word) {
  std::vector<std::string_view> ids;
  for (const VolumeType& type : catalogue) ids.push_back(type.id);
  const std::string text = hint(word, ids);
  return text.starts_with(",") ? text : "";
}

}  // namespace storage_probe::config
