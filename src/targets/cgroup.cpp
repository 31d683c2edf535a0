// SPDX-License-Identifier: Apache-2.0
#include "targets/cgroup.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/file.h"

namespace storage_probe::targets {
namespace {

using std::filesystem::path;

constexpr std::size_t kLimit = 65'536;
constexpr unsigned kMostLevels = 64;

struct Limits {
  Promise& least;
  std::span<const std::string> devices;

  bool is_about(const std::string& device) const {
    return std::find(devices.begin(), devices.end(), device) != devices.end();
  }
  void take(std::optional<double> Promise::*figure, std::string_view text,
            const std::string& group) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !(value > 0)) return;  // "max"
    auto& known = least.*figure;
    if (known && *known <= value) return;
    known = value;
    least.from = group;
  }
};

// "259:1 rbps=max wbps=1048576 riops=3000 wiops=max"
void read_io_max(const path& directory, const std::string& group, Limits& limits) {
  constexpr std::array<std::pair<std::string_view, std::optional<double> Promise::*>, 4> kKeys{
      {{"riops=", &Promise::read_iops},
       {"wiops=", &Promise::write_iops},
       {"rbps=", &Promise::read_throughput},
       {"wbps=", &Promise::write_throughput}}};
  const auto text = read_file(directory / "io.max", kLimit);
  if (!text) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device;
    if (!(words >> device) || !limits.is_about(device)) continue;
    for (std::string word; words >> word;)
      for (const auto& [key, figure] : kKeys)
        if (word.starts_with(key)) limits.take(figure, word.substr(key.size()), group);
  }
}

// "259:1 3000"
void read_throttle(const path& directory, const std::string& group, Limits& limits) {
  constexpr std::array<std::pair<const char*, std::optional<double> Promise::*>, 4> kFiles{
      {{"blkio.throttle.read_iops_device", &Promise::read_iops},
       {"blkio.throttle.write_iops_device", &Promise::write_iops},
       {"blkio.throttle.read_bps_device", &Promise::read_throughput},
       {"blkio.throttle.write_bps_device", &Promise::write_throughput}}};
  for (const auto& [name, figure] : kFiles) {
    const auto text = read_file(directory / name, kLimit);
    if (!text) continue;
    std::istringstream words(*text);
    for (std::string device, value; words >> device >> value;)
      if (limits.is_about(device)) limits.take(figure, value, group);
  }
}

// The group itself and all that it is in, below `root`.
void read_upwards(const path& root, std::string group, Limits& limits) {
  for (unsigned level = 0; level < kMostLevels; ++level) {
    read_io_max(root / path(group).relative_path(), group, limits);
    if (group.empty() || group == "/") return;
    group = path(group).parent_path().string();
  }
}

bool has_word(std::string_view list, std::string_view word) {
  const std::string all = "," + std::string(list) + ",";
  return all.find("," + std::string(word) + ",") != std::string::npos;
}

}  // namespace

Promise cgroup_limit(const path& procfs, const path& sysfs, std::span<const std::string> devices) {
  Promise least;
  Limits limits{least, devices};
  const auto text = read_file(procfs / "self/cgroup", kLimit);
  if (!text) return least;
  const path root = sysfs / "fs/cgroup";
  std::istringstream lines(*text);
  // "4:blkio:/system.slice/x.service", or of version 2 "0::/system.slice/x.service".
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      read_upwards(root, group, limits);
      read_upwards(root / "unified", group, limits);
    } else if (has_word(controllers, "blkio")) {
      read_throttle(root / "blkio" / path(group).relative_path(), group, limits);
    }
  }
  return least;
}

}  // namespace storage_probe::targets
