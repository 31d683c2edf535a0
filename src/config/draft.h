// SPDX-License-Identifier: Apache-2.0
// Targets and probes while they are read: what is known of them and where the file says it, so that
// rules over several keys can point at the right one. Values; they outlive nothing.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "config/config.h"
#include "config/problems.h"
#include "model/target.h"

namespace storage_probe::config {

enum class Profile { safe, full };

// What a note says of a key that a later version acts on.
inline constexpr const char* kNoEffect = "accepted, has no effect in this version";

// Which keys the file has set ("limits.time"), and where. What is not there is a default.
class Sources {
 public:
  void add(const std::string& key, const Place& place) { places_.insert_or_assign(key, place); }
  bool has(const std::string& key) const { return places_.contains(key); }
  // Where `key` is set, else `otherwise`.
  Place where(const std::string& key, const Place& otherwise) const {
    const auto found = places_.find(key);
    return found == places_.end() ? otherwise : found->second;
  }

 private:
  std::map<std::string, Place> places_;
};

struct ProbeDraft {
  PlannedProbe planned;
  Place place;
  Sources set;

  Place where(const std::string& key) const { return set.where(key, place); }
};

struct TargetDraft {
  Target target;  // all but its probes
  Place place;
  bool is_map = true;              // else the entry has been refused as a whole
  Sources set;                     // in the target or in defaults
  Sources own_set;                 // in the target itself
  std::vector<ProbeDraft> probes;  // empty: those of the profile

  void add_source(const std::string& key, const Place& at) {
    set.add(key, at);
    own_set.add(key, at);
  }
  Place where(const std::string& key) const { return set.where(key, place); }
};

// An entry of `auto`: `target` has all that its targets have in common.
struct RuleDraft {
  AutoMatch match;
  std::string name;
  TargetDraft target;
};

// Custom probes by name.
using CustomProbes = std::map<std::string, ProbeDraft, std::less<>>;

}  // namespace storage_probe::config
