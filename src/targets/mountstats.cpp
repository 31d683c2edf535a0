// SPDX-License-Identifier: Apache-2.0
#include "targets/mountstats.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "base/file.h"
#include "targets/mountinfo.h"

namespace storage_probe::targets {
namespace {

// An NFS mount has about 5 KiB; there may be a thousand.
constexpr std::size_t kMountstatsLimit = 16U << 20U;
constexpr std::string_view kDevice = "device ";
constexpr std::string_view kMountedOn = " mounted on ";
constexpr std::string_view kWithType = " with fstype ";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

// The N numbers that begin a text; more may follow.
template <std::size_t N>
std::optional<std::array<std::uint64_t, N>> parse_numbers(std::string_view text) {
  std::array<std::uint64_t, N> numbers{};
  for (std::uint64_t& number : numbers) {
    text = without_indent(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return numbers;
}

// What follows "key:" on a line that begins with it.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  line = without_indent(line);
  if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") return std::nullopt;
  return line.substr(key.size() + 1);
}

// "device server:/export mounted on /mnt/a\040b with fstype nfs4 statvers=1.1"
bool is_nfs_on(std::string_view line, const std::string& mountpoint) {
  const std::size_t type_at = line.rfind(kWithType);
  const std::size_t on_at = line.find(kMountedOn);  // blanks in names are escaped
  if (type_at == std::string_view::npos || on_at == std::string_view::npos) return false;
  const std::size_t from = on_at + kMountedOn.size();
  if (type_at < from) return false;
  const std::string_view rest = line.substr(type_at + kWithType.size());
  const std::string_view type = rest.substr(0, rest.find(' '));
  if (type != "nfs" && type != "nfs4") return false;
  return unescape(line.substr(from, type_at - from)) == mountpoint;
}

// The lines of one mount, up to the next one's.
class NfsMount {
 public:
  void read(std::string_view line) {
    if (const auto bytes = value_of(line, "bytes")) bytes_ = parse_numbers<6>(*bytes);
    if (const auto calls = value_of(line, "READ")) reads_ = parse_numbers<1>(*calls);
    if (const auto calls = value_of(line, "WRITE")) writes_ = parse_numbers<1>(*calls);
  }

  std::optional<DeviceCounters> counters() const {
    if (!bytes_ || !reads_ || !writes_) return std::nullopt;
    DeviceCounters counters;
    counters.reads = {(*reads_)[0]};
    counters.writes = {(*writes_)[0]};
    // Read and written by calls (buffered, then direct), then from and to the server.
    counters.bytes_read = {(*bytes_)[4]};
    counters.bytes_written = {(*bytes_)[5]};
    return counters;
  }

 private:
  std::optional<std::array<std::uint64_t, 6>> bytes_;
  std::optional<std::array<std::uint64_t, 1>> reads_, writes_;  // the first of each line: calls
};

}  // namespace

std::optional<DeviceCounters> parse_mountstats(std::string_view text,
                                               const std::filesystem::path& mountpoint) {
  const std::string wanted = mountpoint.string();
  NfsMount found;
  bool is_ours = false;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with(kDevice)) {
      is_ours = is_nfs_on(line, wanted);
      if (is_ours) found = {};
    } else if (is_ours) {
      found.read(line);
    }
  }
  return found.counters();
}

std::optional<DeviceCounters> read_mountstats(const std::filesystem::path& procfs,
                                              const std::filesystem::path& mountpoint) {
  const auto text = read_file(procfs / "self/mountstats", kMountstatsLimit);
  if (!text) return std::nullopt;
  return parse_mountstats(*text, mountpoint);
}

}  // namespace storage_probe::targets
