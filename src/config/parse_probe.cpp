// SPDX-License-Identifier: Apache-2.0
#include "config/parse_probe.h"

#include <array>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "config/defaults.h"
#include "config/words.h"

namespace storage_probe::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMostUses = 32;
constexpr Duration kShortestLimit = milliseconds(100);
constexpr Duration kLongestLimit = minutes(5);
constexpr Duration kShortestInterval = seconds(1);
constexpr Duration kLongestInterval = hours(24 * 30);
constexpr Bytes kSmallestBlock{512};
constexpr Bytes kLargestBlock{16 * kMiB.value};
constexpr std::int64_t kDeepest = 1024;
constexpr std::int64_t kMostRings = 8;
constexpr double kSlowestRate = 0.1;
constexpr double kFastestRate = 1000;
constexpr std::int64_t kMostWritesPerFsync = 1'000'000;
// Far above any device, far below an overflow.
constexpr Ops kMostIos{1'000'000'000'000};
constexpr Bytes kMostBytes{1024 * kGiB.value * 1024};

// "auto" or a whole number from 1; the outer optional is empty where it is neither.
std::optional<std::optional<unsigned>> automatic_or(const Value& value, std::int64_t most) {
  const auto word = value.text();
  if (!word) return std::nullopt;
  if (*word == "auto") return std::make_optional<std::optional<unsigned>>();
  std::int64_t number = 0;
  const char* const end = word->data() + word->size();
  const auto parsed = std::from_chars(word->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 || number > most) {
    value.refuse(in_quotes(*word) + " must be auto or a whole number from 1 to " +
                 std::to_string(most));
    return std::nullopt;
  }
  return std::optional<unsigned>(static_cast<unsigned>(number));
}

void read_limits(const Value& value, ProbeDraft& draft) {
  constexpr auto kKeys = std::to_array<std::string_view>({"time", "ios", "bytes"});
  Usage& limits = draft.planned.spec.limits;
  for (const auto& [key, limit] : value.fields(kKeys)) {
    draft.set.add("limits." + key, limit.place());
    if (key == "time")
      set(limits.time, limit.duration(kShortestLimit, kLongestLimit));
    else if (key == "ios")
      set(limits.ops, limit.count(Ops{1}, kMostIos));
    else
      set(limits.bytes, limit.bytes(kSmallestBlock, kMostBytes));
  }
}

void read_block_size(const Value& value, ProbeDraft& draft) {
  const auto size = value.bytes(kSmallestBlock, kLargestBlock);
  if (size && size->value % kSmallestBlock.value != 0)
    value.refuse(in_quotes(to_text(*size)) +
                 " is not a multiple of 512B, the unit of direct I/O: 4KiB is the usual size");
  else
    set(draft.planned.spec.block_size, size);
}

using ReadKey = void (*)(const Value&, ProbeDraft&);

// The keys that a custom probe and a use of any probe have in common.
constexpr std::array<std::pair<std::string_view, ReadKey>, 11> kSpecKeys{{
    {"kind",
     [](const Value& value, ProbeDraft& draft) {
       constexpr std::array<std::pair<std::string_view, Kind>, 2> kWords{
           {{"capacity", Kind::capacity}, {"latency", Kind::latency}}};
       set(draft.planned.spec.kind, value.one_of<Kind>(kWords));
     }},
    {"pattern",
     [](const Value& value, ProbeDraft& draft) {
       constexpr std::array<std::pair<std::string_view, Pattern>, 2> kWords{
           {{"random", Pattern::random}, {"sequential", Pattern::sequential}}};
       set(draft.planned.spec.pattern, value.one_of<Pattern>(kWords));
     }},
    {"read_percent",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.read_percent, value.integer(0, 100));
     }},
    {"block_size", read_block_size},
    {"queue_depth",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.queue_depth, automatic_or(value, kDeepest));
     }},
    {"rings",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.rings, automatic_or(value, kMostRings));
     }},
    {"rate",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.rate, value.number(kSlowestRate, kFastestRate));
     }},
    {"fsync_every",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.fsync_every, value.integer(-1, kMostWritesPerFsync));
     }},
    {"limits", read_limits},
    {"stop_early",
     [](const Value& value, ProbeDraft& draft) {
       set(draft.planned.spec.stop_early, value.yes_or_no());
     }},
    {"verify", [](const Value& value,
                  ProbeDraft& draft) { set(draft.planned.spec.verify, value.yes_or_no()); }},
}};

constexpr std::array<std::string_view, 3> kUseKeys{"use", "every", "name"};

template <std::size_t size>
constexpr std::array<std::string_view, kSpecKeys.size() + size> with_spec_keys(
    const std::array<std::string_view, size>& first) {
  std::array<std::string_view, kSpecKeys.size() + size> keys{};
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = i < size ? first[i] : kSpecKeys[i - size].first;
  return keys;
}

void read_spec(const Fields& fields, ProbeDraft& draft) {
  for (const auto& [name, read] : kSpecKeys) {
    const Value* const value = fields.find(name);
    if (value == nullptr) continue;
    draft.set.add(std::string(name), value->place());
    read(*value, draft);
  }
}

// The preset or custom probe that an entry begins from.
std::optional<ProbeDraft> find_probe(const Value& entry, const Value* use,
                                     const CustomProbes& customs) {
  if (use == nullptr) {
    entry.refuse("has no use: name a preset or a custom probe, as in {use: randread, every: 6h}");
    return std::nullopt;
  }
  const auto name = use->text();
  if (!name) return std::nullopt;
  if (const auto custom = customs.find(*name); custom != customs.end()) return custom->second;
  if (const ProbeSpec* preset = find_preset(*name); preset != nullptr) {
    ProbeDraft draft;
    draft.planned.spec = *preset;
    return draft;
  }
  const auto presets = preset_names();
  std::vector<std::string_view> known(presets.begin(), presets.end());
  for (const auto& [custom, draft] : customs) known.emplace_back(custom);
  use->refuse("no probe is named " + in_quotes(*name) + hint(*name, known));
  return std::nullopt;
}

std::optional<ProbeDraft> parse_use(const Value& entry, const CustomProbes& customs,
                                    Profile profile) {
  constexpr auto kKeys = with_spec_keys(kUseKeys);
  if (entry.is_text()) {
    entry.refuse("must be a map: write {use: NAME, every: 1h}");
    return std::nullopt;
  }
  const Fields fields = entry.fields(kKeys);
  auto draft = find_probe(entry, fields.find("use"), customs);
  if (!draft) {  // what else the entry says is checked all the same
    ProbeDraft unused;
    read_spec(fields, unused);
    return std::nullopt;
  }
  draft->place = entry.place();
  read_spec(fields, *draft);
  if (const Value* name = fields.find("name")) {
    draft->set.add("name", name->place());
    const auto text = name->text();
    if (const std::string flaw = text ? flaw_of_name(*text) : ""; !flaw.empty())
      name->refuse(flaw);
    else
      set(draft->planned.spec.name, text);
  }
  draft->planned.every = default_interval(draft->planned.spec, profile);
  if (const Value* every = fields.find("every")) {
    draft->set.add("every", every->place());
    set(draft->planned.every, every->duration(kShortestInterval, kLongestInterval));
  }
  return draft;
}

}  // namespace

void parse_custom_probes(const Value& value, CustomProbes& customs) {
  constexpr auto kKeys = with_spec_keys(std::array<std::string_view, 0>{});
  for (const auto& [name, probe] : value.fields()) {
    ProbeDraft draft;
    draft.place = probe.place();
    draft.planned.spec.name = name;
    read_spec(probe.fields(kKeys), draft);
    if (const std::string flaw = flaw_of_name(name); !flaw.empty()) {
      probe.refuse(flaw);
    } else if (find_preset(name) != nullptr) {
      probe.refuse(in_quotes(name) + " is the name of a preset: choose another");
    } else if (const auto other = customs.find(name); other != customs.end()) {
      probe.refuse("a custom probe of this name is already in " +
                   probe.problems().file_name(other->second.place.file) + " line " +
                   std::to_string(other->second.place.mark.line) + ": rename one");
    } else {
      customs.emplace(name, std::move(draft));
    }
  }
}

std::vector<ProbeDraft> parse_uses(const Value& value, const CustomProbes& customs,
                                   Profile profile) {
  std::vector<ProbeDraft> drafts;
  const auto entries = value.list(kMostUses);
  if (value.is_list() && entries.empty())
    value.refuse("is an empty list: remove the key for the profile's probes, or list some");
  for (const Value& entry : entries)
    if (auto draft = parse_use(entry, customs, profile)) drafts.push_back(std::move(*draft));
  return drafts;
}

}  // namespace storage_probe::config
