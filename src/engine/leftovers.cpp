// SPDX-License-Identifier: Apache-2.0
#include "engine/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/unique_fd.h"
#include "engine/probe_header.h"

namespace storage_probe::engine {
namespace {

using Stat = struct ::stat;

constexpr std::size_t kHostIdDigits = 16;
constexpr std::string_view kFinal = ".dat";
constexpr std::string_view kUnfinished = ".dat.new";
constexpr std::size_t kMostEntries = 16384;
constexpr std::time_t kUnused = std::chrono::seconds(std::chrono::hours(7 * 24)).count();

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// The host that a file is of, by its name; empty for any other file.
std::string host_of(std::string_view name) {
  const std::string_view id = name.substr(0, kHostIdDigits);
  const std::string_view rest = name.substr(id.size());
  const bool is_one = id.size() == kHostIdDigits && (rest == kFinal || rest == kUnfinished) &&
                      id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_one ? std::string(id) : std::string();
}

std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, CloseDirectory> listing(own < 0 ? nullptr : ::fdopendir(own));
  while (listing && names.size() < kMostEntries) {
    const dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr) break;
    names.emplace_back(entry->d_name);
  }
  return names;
}

std::optional<Stat> look_at(int directory, const std::string& name) {
  Stat facts{};
  if (::fstatat(directory, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1) return std::nullopt;
  return facts;
}

bool has_our_header(int directory, const std::string& name, const Stat& facts) {
  const UniqueFd fd(
      ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  Stat opened{};
  if (!fd || ::fstat(fd.get(), &opened) != 0) return false;
  if (opened.st_ino != facts.st_ino || opened.st_dev != facts.st_dev) return false;
  std::array<std::byte, kHeaderBytes> block{};
  if (::pread(fd.get(), block.data(), block.size(), 0) != ssize_t{kHeaderBytes}) return false;
  return std::holds_alternative<ProbeHeader>(decode_header(block));
}

bool is_leftover(int directory, const std::string& name, std::time_t now) {
  const auto facts = look_at(directory, name);
  if (!facts) return false;
  const std::time_t used =
      std::max({facts->st_atim.tv_sec, facts->st_mtim.tv_sec, facts->st_ctim.tv_sec});
  if (now - used < kUnused) return false;
  return name.ends_with(kUnfinished) || has_our_header(directory, name, *facts);
}

}  // namespace

bool adopt_leftover(const ManagedFile& own) {
  const int directory = own.directory();
  const std::string final_name = std::filesystem::path(own.named(-1).name).filename();
  for (const std::string& name : names_in(directory)) {
    if (host_of(name).empty() || !name.ends_with(kFinal) || name == final_name) continue;
    const auto facts = look_at(directory, name);
    if (!facts || !has_our_header(directory, name, *facts)) continue;
    if (::renameat2(directory, name.c_str(), directory, final_name.c_str(), RENAME_NOREPLACE) == 0)
      return true;
  }
  return false;
}

std::size_t remove_leftovers(const ManagedFile& beside,
                             const std::function<bool(const std::string&)>& is_known) {
  const int directory = beside.directory();
  const auto lease = look_at(directory, "lease");
  if (!lease) return 0;
  std::size_t gone = 0;
  for (const std::string& name : names_in(directory)) {
    const std::string host = host_of(name);
    if (host.empty() || is_known(host)) continue;
    if (!is_leftover(directory, name, lease->st_mtim.tv_sec)) continue;
    if (::unlinkat(directory, name.c_str(), 0) == 0) ++gone;
  }
  return gone;
}

}  // namespace storage_probe::engine
