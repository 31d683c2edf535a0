// SPDX-License-Identifier: Apache-2.0
#include "config/problems.h"

#include <algorithm>
#include <tuple>

namespace storage_probe::config {
namespace {

constexpr std::size_t kMostListed = 20;
// A hostile file may hold a hundred thousand flaws; the search for repetitions stays short.
constexpr std::size_t kMostKept = 2000;

auto order(const Place& place) { return std::tie(place.file, place.mark.line, place.mark.column); }

}  // namespace

std::size_t Problems::add_file(const std::string& name) {
  files_.push_back(name);
  return files_.size() - 1;
}

void Problems::refuse(const Place& place, const std::string& reason) {
  add(errors_, place, reason);
}

void Problems::note(const Place& place, const std::string& text) { add(notes_, place, text); }

void Problems::add(std::vector<Entry>& entries, const Place& place, const std::string& text) {
  const bool known = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
    return order(entry.place) == order(place) && entry.place.path == place.path &&
           entry.text == text;
  });
  if (!known && entries.size() < kMostKept) entries.push_back({place, text});
}

std::vector<std::string> Problems::listed(std::vector<Entry> entries,
                                          const std::string& what) const {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return order(a.place) < order(b.place); });
  const bool cut = entries.size() > kMostListed;
  const std::size_t shown = cut ? kMostListed - 1 : entries.size();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [place, text] = entries[i];
    std::string line = files_[place.file] + ":";
    if (place.mark.line > 0)
      line += std::to_string(place.mark.line) + ":" + std::to_string(place.mark.column) + ":";
    if (!place.path.empty()) line.append(" ").append(place.path).append(":");
    lines.push_back(line.append(" ").append(text));
  }
  if (cut)
    lines.push_back("and " + std::to_string(entries.size() - shown) + " more " + what +
                    ", not shown");
  return lines;
}

}  // namespace storage_probe::config
