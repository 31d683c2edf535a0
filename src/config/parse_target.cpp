// SPDX-License-Identifier: Apache-2.0
#include "config/parse_target.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "config/parse_auto.h"
#include "config/parse_policy.h"
#include "config/parse_probe.h"
#include "config/parse_volume.h"

namespace storage_probe::config {
namespace {

// The file system's own limit, PATH_MAX, counts a final zero.
constexpr std::size_t kLongestPath = 4095;

std::optional<std::filesystem::path> absolute_path(const Value& value) {
  const auto text = value.text();
  if (!text) return std::nullopt;
  const std::filesystem::path path(*text);
  std::string flaw;
  if (!path.is_absolute())
    flaw = in_quotes(*text) + " is not absolute: begin it with /";
  else if (std::find(path.begin(), path.end(), "..") != path.end())
    flaw = in_quotes(*text) + " must be written without \"..\"";
  else if (text->size() > kLongestPath)
    flaw = "longer than " + std::to_string(kLongestPath) + " bytes";
  if (!flaw.empty()) {
    value.refuse(flaw);
    return std::nullopt;
  }
  // One spelling, so that two targets on one path are seen to be that.
  auto shortest = path.lexically_normal().string();
  shortest.erase(0, shortest.find_first_not_of('/') == std::string::npos
                        ? shortest.size() - 1
                        : shortest.find_first_not_of('/') - 1);
  if (shortest.size() > 1 && shortest.ends_with('/')) shortest.pop_back();
  return shortest;
}

void parse_name(const Value& value, TargetDraft& draft) {
  const auto name = value.text();
  if (const std::string flaw = name ? flaw_of_name(*name) : ""; !flaw.empty())
    value.refuse(flaw);
  else
    set(draft.target.name, name);
}

void parse_shared(const Value& value, TargetDraft& draft) {
  constexpr std::array<std::pair<std::string_view, Shared>, 3> kWords{
      {{"auto", Shared::automatic}, {"true", Shared::yes}, {"false", Shared::no}}};
  set(draft.target.shared, value.one_of<Shared>(kWords));
}

void parse_engine(const Value& value, TargetDraft& draft) {
  constexpr std::array<std::pair<std::string_view, Engine>, 3> kWords{
      {{"auto", Engine::automatic}, {"io_uring", Engine::io_uring}, {"threads", Engine::threads}}};
  set(draft.target.engine, value.one_of<Engine>(kWords));
}

void parse_io_priority(const Value& value, TargetDraft& draft) {
  constexpr std::array<std::pair<std::string_view, IoPriority>, 3> kWords{
      {{"none", IoPriority::inherited},
       {"best-effort", IoPriority::best_effort},
       {"idle", IoPriority::idle}}};
  set(draft.target.io_priority, value.one_of<IoPriority>(kWords));
}

struct Key {
  std::string_view name;
  void (*read)(const Value& value, TargetDraft& draft);
};

constexpr std::array<Key, 16> kKeys{{
    {"name", parse_name},
    {"path",
     [](const Value& value, TargetDraft& draft) { set(draft.target.path, absolute_path(value)); }},
    {"device", [](const Value& value,
                  TargetDraft& draft) { set(draft.target.device, absolute_path(value)); }},
    {"optional",
     [](const Value& value, TargetDraft& draft) { set(draft.target.optional, value.yes_or_no()); }},
    {"expect", parse_expect},
    {"volume", parse_volume},
    {"objective", parse_objective},
    {"file", parse_file},
    {"space", parse_space},
    {"busy", parse_busy},
    {"budget", parse_budget},
    {"shared", parse_shared},
    {"writes",
     [](const Value& value, TargetDraft& draft) { set(draft.target.writes, value.yes_or_no()); }},
    {"engine", parse_engine},
    {"io_priority", parse_io_priority},
    {"labels", parse_labels},
}};

constexpr std::array<std::string_view, kKeys.size() + 1> target_keys() {
  std::array<std::string_view, kKeys.size() + 1> names{};
  for (std::size_t i = 0; i < kKeys.size(); ++i) names[i] = kKeys[i].name;
  names.back() = "probes";
  return names;
}

void parse_keys(const Fields& fields, const Context& context, TargetDraft& draft) {
  for (const auto& [name, read] : kKeys) {
    const Value* const value = fields.find(name);
    if (value == nullptr) continue;
    draft.add_source(std::string(name), value->place());
    read(*value, draft);
  }
  if (const Value* const value = fields.find("probes")) {
    draft.add_source("probes", value->place());
    draft.probes = parse_uses(*value, context.customs, context.profile);
  }
}

}  // namespace

void parse_defaults(const Value& value, const Context& context, TargetDraft& draft) {
  draft.place = value.place();
  const Fields fields = value.fields(target_keys());
  for (const char* const own : {"name", "path", "device"})
    if (const Value* key = fields.find(own))
      key->refuse("belongs to one target only: move it there");
  parse_keys(fields, context, draft);
}

TargetDraft parse_target(const Value& entry, const TargetDraft& defaults, const Context& context) {
  TargetDraft draft = defaults;
  draft.place = entry.place();
  draft.is_map = entry.is_map();
  draft.own_set = {};
  parse_keys(entry.fields(target_keys()), context, draft);
  return draft;
}

RuleDraft parse_rule(const Value& entry, const TargetDraft& defaults, const Context& context) {
  constexpr auto kTargetKeys = target_keys();
  std::vector<std::string_view> known{"match"};
  known.insert(known.end(), kTargetKeys.begin(), kTargetKeys.end());
  const Fields fields = entry.fields(known);
  RuleDraft rule;
  for (const char* const found : {"path", "device"})
    if (const Value* value = fields.find(found))
      value->refuse("is what match finds: remove it, or write the target under targets");
  if (const Value* match = fields.find("match"))
    rule.match = parse_match(*match);
  else
    entry.refuse("has no match: say which mounts, as in {mountpoint: \"/data/*\"}");
  if (const Value* name = fields.find("name"))
    rule.name = parse_pattern(*name);
  else
    entry.refuse("has no name: add one, as in name: \"{basename}\"");
  rule.target = defaults;
  rule.target.place = entry.place();
  rule.target.is_map = false;  // that it has no path is no flaw
  rule.target.own_set = {};
  parse_keys(fields.without("name").without("path").without("device"), context, rule.target);
  return rule;
}

void note_without_effect(const TargetDraft& draft, Problems& problems) {
  if (draft.own_set.has("objective")) problems.note(draft.where("objective"), kNoEffect);
}

}  // namespace storage_probe::config
