// SPDX-License-Identifier: Apache-2.0
#include "engine/cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "engine/beneath.h"
#include "engine/managed_file.h"

namespace storage_probe::engine {
namespace {

using Stat = struct ::stat;

constexpr std::size_t kHostIdDigits = 16;
constexpr const char* kAside = ".removed-";
constexpr std::size_t kMostNames = 64;  // that are looked at in a directory of others
constexpr std::size_t kMostNamesTold = 3;

std::string describe(const Stat& facts) {
  const std::string owner = " of uid " + std::to_string(facts.st_uid);
  if (S_ISLNK(facts.st_mode)) return "symbolic link" + owner;
  if (S_ISDIR(facts.st_mode)) return "directory" + owner;
  if (S_ISFIFO(facts.st_mode)) return "fifo" + owner;
  if (!S_ISREG(facts.st_mode)) return "special file" + owner;
  const std::string size = human_bytes({static_cast<std::uint64_t>(facts.st_size)});
  if (facts.st_nlink > 1)
    return "one of " + std::to_string(facts.st_nlink) + " names of a file of " + size + owner;
  return "file of " + size + owner;
}

// One go through a target's probe directory.
class Sweep {
 public:
  Sweep(const CheckedDirectory& target, const FileRequest& request, UniqueFd directory,
        const TellCleaned& tell)
      : target_(target),
        request_(request),
        directory_(std::move(directory)),
        path_(target.path() / request.spec.directory),
        tell_(tell) {}

  void remove_probe_file();
  void remove_leftovers();
  void remove_directory();
  void remove_whatever_is(const std::string& name);
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  std::optional<Stat> look_at(const std::string& name) const;
  std::set<std::string> names() const;
  bool remove_aside(const std::string& name, const Stat& facts);
  void remove(const std::string& name, const Stat& facts, const std::string& what);
  // The directory itself has no name.
  std::string path_of(const std::string& name) const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }
  void removed(const std::string& name, const std::string& what) const {
    tell_({path_of(name), what, true});
  }
  void leave(const std::string& name, const std::string& why) const {
    tell_({path_of(name), why, false});
  }
  void fail_at(const std::string& name, Failure failure);

  const CheckedDirectory& target_;
  const FileRequest& request_;
  UniqueFd directory_;
  std::filesystem::path path_;
  const TellCleaned& tell_;
  std::optional<Failure> failure_;
};

void Sweep::fail_at(const std::string& name, Failure failure) {
  leave(name, failure.message);
  if (!failure_) failure_ = std::move(failure);
}

std::optional<Stat> Sweep::look_at(const std::string& name) const {
  Stat facts{};
  if (::fstatat(directory_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return facts;
}

// Under a name that nobody can have expected the file is looked at once more, so that a swap at the
// last moment costs nobody a file. False: it was another, and has its name again.
bool Sweep::remove_aside(const std::string& name, const Stat& facts) {
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) return false;
  const std::string aside = name + kAside + std::to_string(nonce);
  const int directory = directory_.get();
  if (::renameat(directory, name.c_str(), directory, aside.c_str()) != 0) return false;
  const auto now = look_at(aside);
  if (now && now->st_dev == facts.st_dev && now->st_ino == facts.st_ino &&
      ::unlinkat(directory, aside.c_str(), 0) == 0)
    return true;
  // Network file systems know plain renames only.
  if (::renameat2(directory, aside.c_str(), directory, name.c_str(), RENAME_NOREPLACE) != 0 &&
      (errno != EINVAL || ::renameat(directory, aside.c_str(), directory, name.c_str()) != 0))
    leave(aside, "was swapped in for " + name + ", whose name is taken again");
  errno = ESTALE;
  return false;
}

void Sweep::remove(const std::string& name, const Stat& facts, const std::string& what) {
  if (remove_aside(name, facts)) return removed(name, what);
  if (errno == ENOENT || errno == ESTALE)
    return fail_at(name, fail(TargetState::file_conflict,
                              path_of(name) + " was swapped while it was looked at"));
  fail_at(name, fail_with_errno(errno, "remove " + path_of(name)));
}

void Sweep::remove_probe_file() {
  const std::string name = request_.host_id + ".dat";
  const auto file = ManagedFile::open(target_, request_);
  if (!file) return fail_at("", file.failure());
  if (!*file) return;
  auto found = (*file)->find();
  if (!found) return fail_at(name, found.failure());
  if (!*found) return;
  // Closed first: NFS keeps the data of a file that is removed while it is open, under a new name.
  (*found)->fd = {};
  remove(name, (*found)->facts,
         "probe file of " + human_bytes({static_cast<std::uint64_t>((*found)->facts.st_size)}));
}

// What a layout or a removal leaves that is killed.
bool is_leftover(const std::string& name, const std::string& file) {
  return name == file + ".new" || name.starts_with(file + kAside) ||
         name.starts_with(file + ".new" + kAside);
}

void Sweep::remove_leftovers() {
  for (const std::string& name : names()) {
    const auto facts = look_at(name);
    if (!facts || !is_leftover(name, request_.host_id + ".dat")) continue;
    if (S_ISREG(facts->st_mode) && facts->st_nlink == 1) {
      remove(name, *facts, "leftover, " + describe(*facts));
    } else {
      fail_at(name,
              fail(TargetState::file_conflict, path_of(name) + " is a " + describe(*facts) +
                                                   ", not ours: remove it with cleanup --force"));
    }
  }
}

std::set<std::string> Sweep::names() const {
  std::set<std::string> names;
  const auto close = [](DIR* directory) { ::closedir(directory); };
  UniqueFd fd(::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, decltype(close)> entries(fd ? ::fdopendir(fd.get()) : nullptr, close);
  if (!entries) return names;
  static_cast<void>(fd.release());  // the stream has it now
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.insert(name);
    if (names.size() == kMostNames) break;
  }
  return names;
}

void Sweep::remove_directory() {
  if (request_.spec.directory_is_explicit) return;  // the operator's
  std::set<std::string> left = names();
  if (left == std::set<std::string>{kCacheTagName} && has_our_cache_tag(directory_.get()) &&
      ::unlinkat(directory_.get(), kCacheTagName, 0) == 0) {
    removed(kCacheTagName, "tag for backups");
    left.clear();
  }
  if (!left.empty()) {
    std::string told;
    for (const std::string& name : left) {
      if (told.size() > kMostNamesTold * 32) break;
      told += (told.empty() ? "" : ", ") + name;
    }
    return leave("", "not empty: it holds " + told);
  }
  // Never more than an empty directory, whatever has the name by now.
  if (::unlinkat(target_.fd(), request_.spec.directory.c_str(), AT_REMOVEDIR) == 0)
    return removed("", "empty directory");
  if (errno == EACCES || errno == EPERM)
    return leave("", "empty, and not this user's to remove: its parent is another's");
  fail_at("", fail_with_errno(errno, "remove " + path_.string()));
}

void Sweep::remove_whatever_is(const std::string& name) {
  const auto facts = look_at(name);
  if (!facts && errno == ENOENT)
    return fail_at(name, fail(TargetState::file_conflict, "there is no such file"));
  if (!facts) return fail_at(name, fail_with_errno(errno, "stat " + path_of(name)));
  if (S_ISDIR(facts->st_mode))
    return fail_at(
        name, fail(TargetState::file_conflict, path_of(name) + " is a " + describe(*facts) +
                                                   ": directories are not removed, rename it"));
  remove(name, *facts, describe(*facts));
}

Checked<UniqueFd> open_probe_directory(const CheckedDirectory& target, const FileRequest& request) {
  const auto known = ManagedFile::open(target, request);  // says what is wrong with it
  if (!known) return known.failure();
  if (!*known) return UniqueFd();
  UniqueFd fd =
      open_beneath(target.fd(), request.spec.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd || errno == ENOENT) return fd;
  return fail_with_errno(errno, "open " + (target.path() / request.spec.directory).string());
}

}  // namespace

std::optional<Failure> clean_up(const CheckedDirectory& target, const FileRequest& request,
                                const TellCleaned& tell) {
  auto directory = open_probe_directory(target, request);
  if (!directory) return directory.failure();
  if (!*directory) return std::nullopt;
  Sweep sweep(target, request, *std::move(directory), tell);
  sweep.remove_probe_file();
  sweep.remove_leftovers();
  if (!sweep.failure()) sweep.remove_directory();
  return sweep.failure();
}

std::optional<Failure> remove_by_force(const CheckedDirectory& target, const FileRequest& request,
                                       const std::string& name, const TellCleaned& tell) {
  if (!is_probe_file_name(name))
    return fail(TargetState::file_conflict, name + " is no name of a probe file");
  auto directory = open_probe_directory(target, request);
  if (!directory) return directory.failure();
  if (!*directory)
    return fail(TargetState::file_conflict,
                (target.path() / request.spec.directory).string() + " does not exist");
  Sweep sweep(target, request, *std::move(directory), tell);
  sweep.remove_whatever_is(name);
  return sweep.failure();
}

bool is_probe_file_name(const std::string& name) {
  const std::string suffix = name.size() < kHostIdDigits ? "" : name.substr(kHostIdDigits);
  return (suffix == ".dat" || suffix == ".dat.new") &&
         name.find_first_not_of("0123456789abcdef") == kHostIdDigits;
}

}  // namespace storage_probe::engine
