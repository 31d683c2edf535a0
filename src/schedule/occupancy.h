// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace storage_probe::schedule {

// What a run weighs. Layouts weigh as capacity probes do.
enum class Weight { light, heavy };

// What the running probes hold: their target, the leaf devices behind it, and a place among the
// heavy or the light. Part of the scheduler. Keyed by name, so that it survives a reload.
class Occupancy {
 public:
  static constexpr unsigned kMaxLight = 64;

  void set_max_heavy(unsigned count) { max_heavy_ = count; }

  void take(const std::string& target, const std::string& probe, Weight weight,
            const std::vector<std::string>& devices);
  void release(const std::string& target) { held_.erase(target); }

  bool holds(const std::string& target) const { return held_.contains(target); }
  // Who is in the way of a run on this target: "randread of db"; empty when nobody is.
  std::optional<std::string> in_the_way(const std::string& target,
                                        const std::vector<std::string>& devices) const;
  // Whether one more of this weight may run. A stuck run keeps its target and its devices, but no
  // place: one dead volume would stop the others for as long as it is dead.
  bool has_room(Weight weight, const std::set<std::string>& stuck) const;

  // Drops what is held for targets that `is_gone` says have left.
  template <typename Predicate>
  void release_if(Predicate is_gone) {
    std::erase_if(held_, [&](const auto& entry) { return is_gone(entry.first); });
  }

 private:
  struct Held {
    std::string probe;
    Weight weight;
    std::vector<std::string> devices;
  };
  std::map<std::string, Held> held_;  // by target
  unsigned max_heavy_ = 1;
};

}  // namespace storage_probe::schedule
