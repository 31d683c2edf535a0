// SPDX-License-Identifier: Apache-2.0
#include "targets/mountinfo.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/file.h"

namespace storage_probe::targets {
namespace {

// A container host with thousands of mounts has about 1 MiB.
constexpr std::size_t kMountinfoLimit = 16U << 20U;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_device_number(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && parse_number(text.substr(0, colon)) &&
         parse_number(text.substr(colon + 1));
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue": id, parent,
// device, root, mount point, options, any number of optional fields, "-", type, source, options.
std::optional<Mount> parse_line(std::string_view line) {
  const std::vector<std::string_view> fields = split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (dash - fields.begin() < 6 || fields.end() - dash < 3) return std::nullopt;
  const auto id = parse_number(fields[0]);
  const auto parent = parse_number(fields[1]);
  if (!id || !parent || !is_device_number(fields[2])) return std::nullopt;
  if (!fields[4].starts_with('/')) return std::nullopt;
  Mount mount;
  mount.id = *id;
  mount.parent = *parent;
  mount.device = fields[2];
  mount.root = unescape(fields[3]);
  mount.mountpoint = unescape(fields[4]);
  mount.options = fields[5];
  mount.fs_type = unescape(dash[1]);
  // A source may be the empty string, which leaves its field out.
  const bool has_source = fields.end() - dash > 3;
  if (has_source) mount.source = unescape(dash[2]);
  mount.super_options = has_source ? dash[3] : dash[2];
  return mount;
}

bool is_below(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

std::string unescape(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' && is_octal(text[i + 1]) &&
        is_octal(text[i + 2]) && is_octal(text[i + 3])) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain.push_back(static_cast<char>(code));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(text, '\n'))
    if (auto mount = parse_line(line)) mounts.push_back(*std::move(mount));
  return mounts;
}

Result<std::vector<Mount>> read_mountinfo(const std::filesystem::path& procfs) {
  const auto text = read_file(procfs / "self/mountinfo", kMountinfoLimit);
  if (!text) return Unexpected(text.error());
  return parse_mountinfo(*text);
}

const Mount* find_by_path(std::span<const Mount> mounts, const std::filesystem::path& path) {
  const std::string wanted = path.lexically_normal().string();
  const Mount* best = nullptr;
  for (const Mount& mount : mounts)
    if (is_below(wanted, mount.mountpoint) &&
        (best == nullptr || mount.mountpoint.size() >= best->mountpoint.size()))
      best = &mount;
  return best;
}

const Mount* find_by_id(std::span<const Mount> mounts, std::uint64_t mount_id) {
  const auto found = std::find_if(mounts.begin(), mounts.end(),
                                  [mount_id](const Mount& mount) { return mount.id == mount_id; });
  return found == mounts.end() ? nullptr : &*found;
}

std::string find_option(std::string_view options, std::string_view key) {
  for (const std::string_view option : split(options, ','))
    if (option.starts_with(key) && option.size() > key.size() && option[key.size()] == '=')
      return unescape(option.substr(key.size() + 1));
  return {};
}

}  // namespace storage_probe::targets
