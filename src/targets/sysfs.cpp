// SPDX-License-Identifier: Apache-2.0
#include "targets/sysfs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/file.h"

namespace storage_probe::targets {

using std::filesystem::path;

namespace {

constexpr std::size_t kAttributeLimit = 4096;  // sysfs gives one page
constexpr std::uint64_t kSectorBytes = 512;    // the unit of `size` and `stat` on every device
constexpr std::size_t kMaxEntries = 256;       // of a directory
constexpr std::size_t kMaxVisits = 1024;       // of devices in one stack
constexpr std::string_view kDev = "/dev/";
constexpr std::string_view kMapper = "/dev/mapper/";

std::uint64_t read_number(const path& file, std::uint64_t otherwise) {
  const std::string text = read_attribute(file);
  std::uint64_t value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Numbers come from the kernel, but a fixture or a bind mount over /proc must not make a path.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789:") == std::string_view::npos;
}

path directory_of(const path& sysfs, std::string_view number) {
  return sysfs / "dev/block" / number;
}

std::vector<path> list(const path& directory) {
  std::vector<path> entries;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator() && entries.size() < kMaxEntries;
       entry.increment(error))
    entries.push_back(entry->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::string read_attribute(const path& file) {
  auto text = read_file(file, kAttributeLimit);
  if (!text) return {};
  const std::size_t end = text->find_last_not_of(" \n");
  return end == std::string::npos ? std::string() : text->substr(0, end + 1);
}

std::optional<BlockDevice> find_block_device(const path& sysfs, std::string_view number) {
  if (!is_number(number)) return std::nullopt;
  const path directory = directory_of(sysfs, number);
  std::error_code error;
  const path link = std::filesystem::read_symlink(directory, error);
  if (error) return std::nullopt;
  BlockDevice device;
  device.name = link.filename().string();
  device.number = number;
  // Names do not tell a partition: xvda1 may be a whole disk. The attribute does.
  const bool is_partition = std::filesystem::exists(directory / "partition", error);
  if (is_partition) device.disk = read_attribute(directory / "../dev");
  for (const path& slave : list(directory / "slaves"))
    if (std::string of_slave = read_attribute(slave / "dev"); is_number(of_slave))
      device.slaves.push_back(std::move(of_slave));
  device.size = {read_number(directory / "size", 0) * kSectorBytes};
  const path queue = directory / (is_partition ? "../queue" : "queue");
  device.logical_block_size = {read_number(queue / "logical_block_size", kSectorBytes)};
  return device;
}

std::vector<BlockDevice> find_stack(const path& sysfs, std::string_view number) {
  std::vector<BlockDevice> found;
  std::vector<std::string> to_visit{std::string(number)};  // the next one last
  // The bound also ends a stack that contains itself.
  for (std::size_t visits = 0; !to_visit.empty() && visits < kMaxVisits; ++visits) {
    const std::string next = std::move(to_visit.back());
    to_visit.pop_back();
    const auto device = find_block_device(sysfs, next);
    if (!device) continue;
    if (!device->disk.empty())
      to_visit.push_back(device->disk);
    else
      to_visit.insert(to_visit.end(), device->slaves.rbegin(), device->slaves.rend());
    if (std::none_of(found.begin(), found.end(),
                     [&](const BlockDevice& other) { return other.number == next; }))
      found.push_back(*device);
  }
  return found;
}

std::vector<BlockDevice> find_leaves(const path& sysfs, std::string_view number) {
  std::vector<BlockDevice> leaves = find_stack(sysfs, number);
  std::erase_if(leaves, [](const BlockDevice& device) {
    return !device.disk.empty() || !device.slaves.empty();
  });
  return leaves;
}

std::string md_action(const path& sysfs, std::string_view number) {
  if (!is_number(number)) return {};
  return read_attribute(directory_of(sysfs, number) / "md/sync_action");
}

std::string number_of(const path& sysfs, std::string_view device) {
  if (device.starts_with(kMapper)) {
    const std::string_view wanted = device.substr(kMapper.size());
    for (const path& block : list(sysfs / "block"))
      if (read_attribute(block / "dm/name") == wanted) return read_attribute(block / "dev");
    return {};
  }
  if (device.starts_with(kDev)) device.remove_prefix(kDev.size());
  if (device.empty() || device.starts_with('.') || device.find('/') != std::string_view::npos)
    return {};
  std::string number = read_attribute(sysfs / "class/block" / device / "dev");
  return is_number(number) ? number : std::string();
}

std::optional<DeviceCounters> parse_counters(std::string_view stat) {
  // reads, merged, sectors, ms, the same of writes, in flight, ms, weighted ms, the same as reads
  // of discards (4.18), flushes and their ms (5.5).
  std::array<std::uint64_t, 17> fields{};
  std::size_t count = 0;
  const char* next = stat.data();
  const char* const end = next + stat.size();
  while (count < fields.size()) {
    next = std::find_if(next, end, [](char c) { return c != ' ' && c != '\n'; });
    const auto [after, error] = std::from_chars(next, end, fields[count]);
    if (error != std::errc{}) break;
    next = after;
    ++count;
  }
  if (count < 11) return std::nullopt;
  DeviceCounters counters;
  counters.reads = {fields[0]};
  counters.bytes_read = {fields[2] * kSectorBytes};
  counters.writes = {fields[4]};
  counters.bytes_written = {fields[6] * kSectorBytes};
  counters.in_flight = {fields[8]};
  counters.queue_time = std::chrono::milliseconds(fields[10]);
  if (count > 11) counters.discards = {fields[11]};
  if (count > 15) counters.flushes = Ops{fields[15]};
  return counters;
}

std::optional<DeviceCounters> read_counters(const path& sysfs, std::string_view number) {
  if (!is_number(number)) return std::nullopt;
  const path directory = directory_of(sysfs, number);
  // The queue of a partition is its disk's.
  for (const char* queue : {"queue/iostats", "../queue/iostats"})
    if (read_attribute(directory / queue) == "0") return std::nullopt;
  const auto stat = read_file(directory / "stat", kAttributeLimit);
  if (!stat) return std::nullopt;
  return parse_counters(*stat);
}

}  // namespace storage_probe::targets
