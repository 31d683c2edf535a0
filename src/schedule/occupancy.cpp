// SPDX-License-Identifier: Apache-2.0
#include "schedule/occupancy.h"

#include <algorithm>

namespace storage_probe::schedule {

void Occupancy::take(const std::string& target, const std::string& probe, Weight weight,
                     const std::vector<std::string>& devices) {
  held_.insert_or_assign(target, Held{probe, weight, devices});
}

std::optional<std::string> Occupancy::in_the_way(const std::string& target,
                                                 const std::vector<std::string>& devices) const {
  for (const auto& [name, held] : held_) {
    const auto& taken = held.devices;
    const bool shared = std::find_first_of(devices.begin(), devices.end(), taken.begin(),
                                           taken.end()) != devices.end();
    if (shared || name == target) return held.probe + " of " + name;
  }
  return std::nullopt;
}

bool Occupancy::has_room(Weight weight, const std::set<std::string>& stuck) const {
  const auto count = std::count_if(held_.begin(), held_.end(), [&](const auto& entry) {
    return entry.second.weight == weight && !stuck.contains(entry.first);
  });
  return count < (weight == Weight::heavy ? max_heavy_ : kMaxLight);
}

}  // namespace storage_probe::schedule
