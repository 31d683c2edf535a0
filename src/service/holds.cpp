// SPDX-License-Identifier: Apache-2.0
#include "service/holds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/file.h"

namespace storage_probe::service {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 4096;
constexpr std::size_t kMostFiles = 1024;  // a target and more each
constexpr std::string_view kUntil = "until=";
constexpr std::string_view kReason = "reason=";
constexpr std::string_view kId = "id=";
constexpr std::size_t kLongestWord = 64;
constexpr const char* kNoTime =
    " is no time: write the seconds since the epoch, as date +%s does, or hold it anew";

std::optional<WallTime> parse_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return WallTime(std::chrono::seconds{std::clamp<std::int64_t>(seconds, 0, 1LL << 33U)});
}

Hold parse_hold(const std::string& text) {
  Hold hold;
  std::string complaint;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kUntil)) {
      hold.until = parse_seconds(std::string_view(line).substr(kUntil.size()));
      if (!hold.until) complaint = line.substr(0, kLongestWord) + kNoTime;
    }
    if (line.starts_with(kReason)) hold.reason = line.substr(kReason.size());
    if (line.starts_with(kId)) hold.id = line.substr(kId.size());
  }
  if (!complaint.empty()) hold.reason += (hold.reason.empty() ? "" : "; ") + complaint;
  return hold;
}

// Empty when it was released between the listing of the directory and now.
std::optional<Hold> read_hold(const fs::path& path) {
  const auto text = read_file(path, kLargestFile);
  if (text) return parse_hold(*text);
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return std::nullopt;
  return Hold{{}, text.error().message + ": remove the file, as release does"};
}

Holds hold_all(const fs::path& directory, const std::string& why) {
  return {{kHoldAll, Hold{{}, directory.string() + ": " + why}}};
}

Result<fs::path> file_of(const fs::path& directory, const std::string& target) {
  if (target.empty() || target.front() == '.' || target.find('/') != std::string::npos) {
    return Unexpected({Errc::invalid, "\"" + target + "\" is no target's name"});
  }
  return directory / target;
}

std::string text_of(const Hold& hold) {
  std::string text;
  if (hold.until) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(hold.until->time_since_epoch());
    text += std::string(kUntil) + std::to_string(seconds.count()) + '\n';
  }
  std::string reason = hold.reason.substr(0, kLargestFile / 2);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  if (!reason.empty()) text += std::string(kReason) + reason + '\n';
  if (!hold.id.empty()) text += std::string(kId) + hold.id + '\n';
  return text;
}

}  // namespace

Holds read_holds(const fs::path& directory, WallTime now) {
  Holds holds;
  std::error_code error;
  std::size_t files = 0;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.front() == '.') continue;  // being written
    if (++files > kMostFiles) {
      return hold_all(directory, "more than " + std::to_string(kMostFiles) +
                                     " files: remove those that name no target");
    }
    auto hold = read_hold(entry->path());
    if (hold && (!hold->until || *hold->until > now)) holds.emplace(name, *std::move(hold));
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return hold_all(directory, error.message() + ": let the exporter's user read the directory");
  return holds;
}

const Hold* find_hold(const Holds& holds, const std::string& target) {
  auto found = holds.find(target);
  if (found == holds.end()) found = holds.find(kHoldAll);
  return found == holds.end() ? nullptr : &found->second;
}

std::string utc_text(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  std::array<char, 40> text{};
  if (gmtime_r(&seconds, &parts) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts) == 0)
    return "the end of time";
  return text.data();
}

std::string describe(const Hold& hold) {
  const std::string until = hold.until ? utc_text(*hold.until) : "it is released";
  return "until " + until + (hold.reason.empty() ? "" : ": " + hold.reason);
}

// Written under a name that is no target's, and moved in place when it is whole and may be read by
// a daemon that is another user.
Result<void> write_hold(const fs::path& directory, const std::string& target, const Hold& hold) {
  const auto path = file_of(directory, target);
  if (!path) return Unexpected(path.error());
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Unexpected(system_error(error.value()).in("make " + directory.string()));
  const fs::path draft = directory / ("." + target);
  if (auto written = write_file_atomically(draft, text_of(hold)); !written) return written;
  constexpr auto kReadable = fs::perms::owner_read | fs::perms::owner_write |
                             fs::perms::group_read | fs::perms::others_read;
  fs::permissions(draft, kReadable, error);
  if (!error) fs::rename(draft, *path, error);
  if (error) return Unexpected(system_error(error.value()).in("write " + path->string()));
  return {};
}

Result<void> remove_hold(const fs::path& directory, const std::string& target) {
  const auto path = file_of(directory, target);
  if (!path) return Unexpected(path.error());
  std::error_code error;
  if (fs::remove(*path, error)) return {};
  if (error) return Unexpected(system_error(error.value()).in("remove " + path->string()));
  return Unexpected({Errc::not_found, target + " is not held"});
}

}  // namespace storage_probe::service
