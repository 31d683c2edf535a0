// SPDX-License-Identifier: Apache-2.0
#include "service/holds.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace storage_probe::service {
namespace {

constexpr std::size_t kLargestFile = 4096;
constexpr std::string_view kUntil = "until=";
constexpr std::string_view kReason = "reason=";

std::optional<WallTime> parse_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return WallTime(std::chrono::seconds{std::clamp<std::int64_t>(seconds, 0, 1LL << 33U)});
}

Hold parse_hold(const std::string& text) {
  Hold hold;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kUntil))
      hold.until = parse_seconds(std::string_view(line).substr(kUntil.size()));
    if (line.starts_with(kReason)) hold.reason = line.substr(kReason.size());
  }
  return hold;
}

Result<std::filesystem::path> file_of(const std::filesystem::path& directory,
                                      const std::string& target) {
  if (target.empty() || target.front() == '.' || target.find('/') != std::string::npos) {
    return Unexpected({Errc::invalid, "\"" + target + "\" is no target's name"});
  }
  return directory / target;
}

}  // namespace

std::map<std::string, Hold> read_holds(const std::filesystem::path& directory, WallTime now) {
  std::map<std::string, Hold> holds;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.front() == '.' || name.ends_with(".new")) continue;  // being written
    const auto text = read_file(entry->path(), kLargestFile);
    Hold hold = text ? parse_hold(*text) : Hold{{}, text.error().message};
    if (!hold.until || *hold.until > now) holds.emplace(name, std::move(hold));
  }
  return holds;
}

const Hold* find_hold(const std::map<std::string, Hold>& holds, const std::string& target) {
  auto found = holds.find(target);
  if (found == holds.end()) found = holds.find(kHoldAll);
  return found == holds.end() ? nullptr : &found->second;
}

Result<void> write_hold(const std::filesystem::path& directory, const std::string& target,
                        const Hold& hold) {
  const auto path = file_of(directory, target);
  if (!path) return Unexpected(path.error());
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Unexpected(system_error(error.value()).in("make " + directory.string()));
  std::string text;
  if (hold.until) {
    const auto since_epoch =
        std::chrono::ceil<std::chrono::seconds>(hold.until->time_since_epoch());
    text += std::string(kUntil) + std::to_string(since_epoch.count()) + '\n';
  }
  std::string reason = hold.reason;
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  if (!reason.empty()) text += std::string(kReason) + reason + '\n';
  return write_file_atomically(*path, text);
}

Result<void> remove_hold(const std::filesystem::path& directory, const std::string& target) {
  const auto path = file_of(directory, target);
  if (!path) return Unexpected(path.error());
  std::error_code error;
  if (std::filesystem::remove(*path, error)) return {};
  if (error) return Unexpected(system_error(error.value()).in("remove " + path->string()));
  return Unexpected({Errc::not_found, target + " is not held"});
}

}  // namespace storage_probe::service
