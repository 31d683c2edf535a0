// SPDX-License-Identifier: Apache-2.0
#include "config/parse_auto.h"

#include <array>
#include <optional>
#include <string_view>

#include "config/auto_targets.h"
#include "config/words.h"

namespace storage_probe::config {
namespace {

std::vector<std::string> parse_types(const Value& value) {
  constexpr std::size_t kMostTypes = 32;
  std::vector<std::string> types;
  const auto add = [&types](const Value& entry) {
    if (auto type = entry.text()) types.push_back(*std::move(type));
  };
  if (value.is_text())
    add(value);
  else
    for (const Value& entry : value.list(kMostTypes)) add(entry);
  return types;
}

std::string parse_mountpoint(const Value& value) {
  std::string pattern = value.text().value_or("");
  if (!pattern.empty() && !pattern.starts_with('/'))
    value.refuse(in_quotes(pattern) + " is not absolute: begin it with /");
  return pattern;
}

}  // namespace

AutoMatch parse_match(const Value& value) {
  constexpr auto kKeys =
      std::to_array<std::string_view>({"mountpoint", "fstype", "provider", "volume_type"});
  AutoMatch match;
  const Fields fields = value.fields(kKeys);
  if (value.is_map() && fields.empty())
    value.refuse("says nothing of a mount: add mountpoint, fstype, provider or volume_type");
  for (const auto& [key, member] : fields) {
    if (key == "mountpoint") match.mountpoint = parse_mountpoint(member);
    if (key == "fstype") match.fs_types = parse_types(member);
    if (key == "provider") set(match.provider, member.text());
    if (key == "volume_type") set(match.volume_type, member.text());
  }
  return match;
}

std::string parse_pattern(const Value& value) {
  std::string pattern = value.text().value_or("");
  // What is left when each placeholder is a letter must be a name.
  std::string plain = pattern;
  for (const std::string_view placeholder : kPlaceholders)
    for (std::size_t at = 0; (at = plain.find(placeholder)) != std::string::npos;)
      plain.replace(at, placeholder.size(), "x");
  const std::size_t open = plain.find('{');
  const std::size_t close = plain.find('}', open);
  if (open != std::string::npos && close != std::string::npos)
    value.refuse(in_quotes(plain.substr(open, close - open + 1)) + " is unknown" +
                 hint(plain.substr(open, close - open + 1), kPlaceholders));
  else if (const std::string flaw = plain.empty() ? "" : flaw_of_name(plain); !flaw.empty())
    value.refuse(flaw);
  return pattern;
}

}  // namespace storage_probe::config
