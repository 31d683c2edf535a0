// SPDX-License-Identifier: Apache-2.0
// Text to Config, in the order in which one key needs another: first the files, then the settings
// and custom probes of all of them, then defaults, at last the targets.
#include <array>
#include <deque>
#include <utility>

#include "base/file.h"
#include "config/check_type.h"
#include "config/config.h"
#include "config/defaults.h"
#include "config/digest.h"
#include "config/include.h"
#include "config/parse_catalogue.h"
#include "config/parse_probe.h"
#include "config/parse_settings.h"
#include "config/parse_target.h"
#include "config/validate.h"
#include "config/yaml_document.h"

namespace storage_probe::config {
namespace {

// More would only take memory: the 257th target is refused.
constexpr std::size_t kMostEntries = 4096;
constexpr std::size_t kMostRules = 64;
constexpr std::array<std::string_view, 12> kTopKeys{
    "include",   "profile",  "max_concurrent_capacity",
    "catalogue", "windows",  "instance",
    "metrics",   "promises", "auto",
    "defaults",  "probes",   "targets"};
// A map or list that is left empty, its entries commented out, is one without entries.
constexpr std::array<std::string_view, 9> kMayBeEmpty{"include",  "windows",  "instance",
                                                      "metrics",  "promises", "auto",
                                                      "defaults", "probes",   "targets"};

// One load. Lives on the stack of load() or parse().
class Loader {
 public:
  void read_main(const std::filesystem::path& path);
  void add_main(std::string text, const std::string& name);
  Loaded finish();

 private:
  // A file with its top-level members, which point into its tree.
  struct Source {
    Document document;
    Fields fields;
  };

  // What the entries of `targets` and `auto` say.
  struct Drafts {
    std::vector<TargetDraft> targets;
    std::vector<RuleDraft> rules;
  };

  bool add_text(std::string text, std::size_t file);
  void read_included(const std::filesystem::path& path);
  void include_files(const std::filesystem::path& main);
  Catalogue read_catalogue(const Settings& settings);
  TargetDraft parse_all_defaults(const Context& context);
  void complete_target(TargetDraft& draft, const Context& context);
  Drafts parse_all_targets(const Context& context);
  void check_all(const Drafts& drafts, const CustomProbes& customs);

  Problems problems_;
  std::vector<std::string> texts_;
  std::deque<Source> sources_;  // a deque: the members' addresses stay
};

Target complete_with_probes(const TargetDraft& draft) {
  Target target = draft.target;
  for (const ProbeDraft& probe : draft.probes) target.probes.push_back(probe.planned);
  return target;
}

std::string reason_without_path(const Error& error, const std::filesystem::path& path) {
  if (error.code == Errc::exhausted) return too_long();
  std::string reason = error.message;
  const std::string name = " " + path.string();
  if (const std::size_t at = reason.find(name); at != std::string::npos)
    reason.erase(at, name.size());
  return reason;
}

// Answers whether the text is a tree of keys; tells Problems why not.
bool Loader::add_text(std::string text, std::size_t file) {
  const Place top{file, {}, {}};
  texts_.push_back(std::move(text));
  Document document = parse_yaml(texts_.back());
  if (document.refusal) {
    problems_.refuse(top.at(document.refusal->mark), document.refusal->reason);
    return false;
  }
  Source& source = sources_.emplace_back(Source{std::move(document), {}});
  const YamlNode& root = source.document.root;
  const Value value(root, top.at(root.mark), problems_);
  if (value.is_empty()) return true;
  if (!value.is_map()) {
    value.refuse("the file must be a map of keys, such as targets");
    return false;
  }
  source.fields = value.fields(kTopKeys);
  for (const std::string_view key : kMayBeEmpty)
    if (const Value* member = source.fields.find(key); member != nullptr && member->is_empty())
      source.fields = source.fields.without(key);
  return true;
}

void Loader::read_main(const std::filesystem::path& path) {
  auto text = read_file(path, kMaxFileBytes);
  if (text) return add_main(std::move(*text), path.string());
  const std::size_t file = problems_.add_file(path.string());
  problems_.refuse({file, {}, {}}, reason_without_path(text.error(), path));
}

void Loader::add_main(std::string text, const std::string& name) {
  if (add_text(std::move(text), problems_.add_file(name))) include_files(name);
}

void Loader::include_files(const std::filesystem::path& main) {
  const Value* const include = sources_.front().fields.find("include");
  if (include == nullptr) return;
  for (const auto& path : included_files(*include, main)) read_included(path);
}

void Loader::read_included(const std::filesystem::path& path) {
  const std::size_t file = problems_.add_file(path.string());
  auto text = read_file(path, kMaxFileBytes);
  if (!text) {
    problems_.refuse({file, {}, {}}, reason_without_path(text.error(), path));
    return;
  }
  if (!add_text(std::move(*text), file)) return;
  if (const Value* const include = sources_.back().fields.find("include"))
    include->refuse("an included file cannot include others: move this to " +
                    problems_.file_name(0));
}

Catalogue Loader::read_catalogue(const Settings& settings) {
  if (!settings.catalogue) return built_in_catalogue();
  const Value& value = *settings.catalogue;
  const std::filesystem::path path = named_file(value, *value.text());
  auto text = read_file(path, kMaxFileBytes);
  if (!text) {
    value.refuse(path.string() + ": " + reason_without_path(text.error(), path));
    return {};
  }
  const Place top{problems_.add_file(path.string()), {}, {}};
  texts_.push_back(std::move(*text));
  const Document document = parse_yaml(texts_.back());
  if (document.refusal) {
    problems_.refuse(top.at(document.refusal->mark), document.refusal->reason);
    return {};
  }
  return parse_catalogue(Value(document.root, top.at(document.root.mark), problems_));
}

TargetDraft Loader::parse_all_defaults(const Context& context) {
  TargetDraft draft;
  draft.target.budget = default_budget(context.profile);
  const Value* first = nullptr;
  for (const Source& source : sources_) {
    const Value* const value = source.fields.find("defaults");
    if (value == nullptr) continue;
    if (first != nullptr)
      value->refuse("already set in " + problems_.file_name(first->place().file) + " line " +
                    std::to_string(first->place().mark.line) + ": keep one of them");
    else
      parse_defaults(*value, context, draft);
    first = first == nullptr ? value : first;
  }
  note_without_effect(draft, problems_);
  return draft;
}

void Loader::complete_target(TargetDraft& draft, const Context& context) {
  const VolumeType* const type = find_type(context.catalogue, draft.target.volume.type);
  if (draft.probes.empty() && !draft.set.has("probes"))
    draft.probes = default_probes(context.profile, draft.place, type);
  drop_inherited_file(draft);
  for (ProbeDraft& probe : draft.probes) complete(probe, draft.target, type);
  note_without_effect(draft, problems_);
  note_type(draft, context.catalogue, problems_);
}

Loader::Drafts Loader::parse_all_targets(const Context& context) {
  const TargetDraft defaults = parse_all_defaults(context);
  Drafts drafts;
  for (const Source& source : sources_) {
    if (const Value* rules = source.fields.find("auto"))
      for (const Value& entry : rules->list(kMostRules))
        drafts.rules.push_back(parse_rule(entry, defaults, context));
    if (const Value* targets = source.fields.find("targets"))
      for (const Value& entry : targets->list(kMostEntries))
        drafts.targets.push_back(parse_target(entry, defaults, context));
  }
  for (TargetDraft& draft : drafts.targets) complete_target(draft, context);
  for (RuleDraft& rule : drafts.rules) complete_target(rule.target, context);
  return drafts;
}

void Loader::check_all(const Drafts& drafts, const CustomProbes& customs) {
  for (const auto& [name, custom] : customs) {
    ProbeDraft draft = custom;
    complete(draft, {}, nullptr);
    check_probe(draft, problems_);
  }
  for (const TargetDraft& draft : drafts.targets) check_target(draft, problems_);
  for (const RuleDraft& rule : drafts.rules) check_target(rule.target, problems_);
  check_targets(drafts.targets, problems_);
}

Loaded Loader::finish() {
  Settings settings;
  CustomProbes customs;
  for (const Source& source : sources_) {
    parse_settings(source.fields, settings);
    if (const Value* probes = source.fields.find("probes")) parse_custom_probes(*probes, customs);
  }
  Catalogue catalogue = read_catalogue(settings);
  const auto drafts = parse_all_targets({customs, catalogue, settings.profile});
  check_all(drafts, customs);

  Loaded loaded;
  loaded.errors = problems_.errors();
  loaded.notes = problems_.notes();
  if (!loaded.errors.empty()) return loaded;
  loaded.config.max_concurrent_capacity = settings.max_concurrent_capacity;
  loaded.config.histograms = settings.histograms;
  loaded.config.instance = settings.instance;
  loaded.config.windows = std::move(settings.windows);
  loaded.config.catalogue = std::move(catalogue);
  if (settings.catalogue)
    loaded.config.catalogue_file = named_file(*settings.catalogue, *settings.catalogue->text());
  loaded.config.promise_files = std::move(settings.promise_files);
  loaded.config.sha256 = sha256(texts_);
  for (const TargetDraft& draft : drafts.targets)
    loaded.config.targets.push_back(complete_with_probes(draft));
  for (const RuleDraft& rule : drafts.rules)
    loaded.config.auto_rules.push_back({rule.match, rule.name, complete_with_probes(rule.target)});
  return loaded;
}

}  // namespace

Loaded load(const std::filesystem::path& path) {
  Loader loader;
  loader.read_main(path);
  return loader.finish();
}

Loaded parse(std::string_view text, const std::string& name) {
  Loader loader;
  loader.add_main(std::string(text), name);
  return loader.finish();
}

}  // namespace storage_probe::config
