// SPDX-License-Identifier: Apache-2.0
#include "config/auto_targets.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/hash.h"
#include "config/words.h"

namespace storage_probe::config {
namespace {

constexpr std::string_view kAfterName = "-12345678";  // as long as what unique_name() adds

bool matches(const AutoMatch& match, const MountIdentity& mount) {
  const auto& types = match.fs_types;
  if (!types.empty() && std::find(types.begin(), types.end(), mount.fs_type) == types.end())
    return false;
  if (!match.provider.empty() && match.provider != mount.provider) return false;
  if (!match.volume_type.empty() && match.volume_type != mount.volume_type) return false;
  return match.mountpoint.empty() ||
         fnmatch(match.mountpoint.c_str(), mount.mountpoint.c_str(), FNM_PATHNAME) == 0;
}

const AutoRule* find_rule(const std::vector<AutoRule>& rules, const MountIdentity& mount) {
  const auto rule = std::find_if(rules.begin(), rules.end(), [&mount](const AutoRule& candidate) {
    return matches(candidate.match, mount);
  });
  return rule == rules.end() ? nullptr : &*rule;
}

// What two mounts of one file system have in common.
std::string file_system_of(const MountIdentity& mount) {
  if (!mount.devices.empty()) return mount.devices.front().number;
  return mount.source.find('/') == std::string::npos ? mount.mountpoint : mount.source;
}

// The mount that a path is on by its text; null where it is on none of these.
const MountIdentity* find_mount(std::span<const MountIdentity> mounts, const std::string& path) {
  const MountIdentity* best = nullptr;
  for (const MountIdentity& mount : mounts) {
    const std::string& point = mount.mountpoint;
    const bool is_on = point == "/" || path == point || path.starts_with(point + "/");
    if (is_on && (best == nullptr || point.size() > best->mountpoint.size())) best = &mount;
  }
  return best;
}

// What the targets so far stand on.
class Taken {
 public:
  Taken(const Config& config, std::span<const MountIdentity> mounts) {
    for (const Target& target : config.targets) {
      names.insert(target.name);
      if (const std::string device = target.device.string(); !device.empty()) {
        devices_.insert(device);
      } else if (const auto* mount = find_mount(mounts, target.path.string())) {
        file_systems_.insert(file_system_of(*mount));
      }
    }
  }

  bool has(const MountIdentity& mount) const {
    return file_systems_.contains(file_system_of(mount)) || devices_.contains(mount.source) ||
           devices_.contains("/dev/" + mount.device);
  }
  void add(const MountIdentity& mount, const std::string& name) {
    names.insert(name);
    file_systems_.insert(file_system_of(mount));
  }

  std::set<std::string> names{"all"};  // which stands for every target

 private:
  std::set<std::string> file_systems_, devices_;
};

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
}

std::string value_of(std::string_view placeholder, const MountIdentity& mount) {
  const std::string basename = last_part(mount.mountpoint);
  const std::string otherwise = basename.empty() ? "root" : basename;
  std::string value;
  if (placeholder == "{mountpoint}") value = mount.mountpoint.substr(1);
  if (placeholder == "{volume_id}") value = mount.volume_id;
  if (placeholder == "{device}") value = mount.device;
  return value.empty() ? otherwise : value;
}

std::string valid(std::string name) {
  for (char& c : name)
    if (!flaw_of_name(std::string("x") + c).empty()) c = '-';
  name.erase(0, std::min(name.find_first_not_of("._-"), name.size()));
  name.resize(std::min(name.size(), kLongestName));
  return name.empty() ? "mount" : name;
}

}  // namespace

std::string target_name(std::string_view pattern, const MountIdentity& mount) {
  std::string name;
  while (!pattern.empty()) {
    const auto* const placeholder =
        std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                     [pattern](std::string_view known) { return pattern.starts_with(known); });
    const bool is_known = placeholder != kPlaceholders.end();
    name += is_known ? value_of(*placeholder, mount) : std::string(pattern.substr(0, 1));
    pattern.remove_prefix(is_known ? placeholder->size() : 1);
  }
  return valid(name);
}

std::string unique_name(const std::string& name, const std::string& mountpoint,
                        const std::set<std::string>& taken) {
  std::string unique = name;
  for (auto hash = static_cast<std::uint32_t>(stable_hash(mountpoint)); taken.contains(unique);
       ++hash) {
    std::array<char, kAfterName.size() + 1> suffix{};
    std::snprintf(suffix.data(), suffix.size(), "-%08x", static_cast<unsigned>(hash));
    unique = name.substr(0, kLongestName - kAfterName.size()) + suffix.data();
  }
  return unique;
}

Config expand(const Config& config, std::span<const MountIdentity> mounts) {
  Config expanded = config;
  if (config.auto_rules.empty()) return expanded;
  std::vector<const MountIdentity*> sorted;
  for (const MountIdentity& mount : mounts)
    if (mount.mountpoint.starts_with('/')) sorted.push_back(&mount);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->mountpoint < b->mountpoint; });
  Taken taken(config, mounts);
  for (const MountIdentity* mount : sorted) {
    if (expanded.targets.size() >= kMostTargets) break;
    const AutoRule* const rule = find_rule(config.auto_rules, *mount);
    if (rule == nullptr || taken.has(*mount)) continue;
    Target target = rule->target;
    target.name = unique_name(target_name(rule->name, *mount), mount->mountpoint, taken.names);
    target.path = mount->mountpoint;
    taken.add(*mount, target.name);
    expanded.targets.push_back(std::move(target));
  }
  return expanded;
}

}  // namespace storage_probe::config
