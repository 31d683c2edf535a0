// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "base/units.h"
#include "engine/checked.h"
#include "engine/direct_io.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"
#include "engine/probe_header.h"

namespace storage_probe::engine {

// The directory of a managed file, open, and the two names in it: `<host id>.dat`, on a shared
// mount `shared.dat`, and the same with `.new` behind it while it is laid out. Every operation is
// relative to the descriptor, follows no link, and compares inodes where a name could have been
// swapped since it was looked at. The target must outlive it.
class ManagedFile {
 public:
  // A file under the final name that has our header.
  struct Found {
    UniqueFd fd;  // O_RDONLY
    struct ::stat facts;
    ProbeHeader header;
    Bytes alignment;
    bool is_sound;  // at least as long as the header says, and so far without holes
    bool is_whole;  // sound, complete, and nothing beyond
  };

  // Empty when the directory does not exist.
  static Checked<std::optional<ManagedFile>> open(const CheckedDirectory& target,
                                                  const FileRequest& request);
  // Makes the directory where it is missing, and in it a tag that tells backups to leave it out.
  static Checked<ManagedFile> create(const CheckedDirectory& target, const FileRequest& request);

  // Empty when nothing has the name; file_conflict when something not ours has it.
  Checked<std::optional<Found>> find() const;
  // The file that is open as `file`, by its final name.
  Checked<UniqueFd> open_again(int file, Access access) const;

  // Makes the file under its temporary name, empty; a leftover of an interrupted layout is removed.
  Checked<UniqueFd> create_new() const;
  // Gives `file`, made by create_new(), its final name in place of `older` (may be null), durably.
  std::optional<Failure> publish(int file, const Found* older) const;
  // Removes what create_new() made.
  void discard(int file) const;

  int directory() const { return directory_.get(); }
  const std::filesystem::path& directory_path() const { return path_; }
  OpenFile named(int fd) const { return {fd, final_path(), fs_type()}; }
  OpenFile named_new(int fd) const { return {fd, final_path() + ".new", fs_type()}; }

 private:
  ManagedFile(const CheckedDirectory& target, const FileRequest& request, UniqueFd directory);

  const std::string& fs_type() const { return target_->mount().identity.fs_type; }
  std::string final_path() const { return (path_ / name_).string(); }
  Checked<std::optional<struct ::stat>> look_at(const std::string& name) const;
  bool is_file(const std::string& name, const struct ::stat& facts) const;
  std::optional<Failure> rename_new(const Found* older) const;
  void tag(const FileRequest& request) const;

  const CheckedDirectory* target_;
  UniqueFd directory_;
  std::filesystem::path path_;
  std::string name_;
  std::string new_name_;
  bool is_shared_;
};

// Tells backups to leave the directory of managed files out.
inline constexpr const char* kCacheTagName = "CACHEDIR.TAG";
// Whether the one in `directory` is as we write it.
bool has_our_cache_tag(int directory);

// The part of a file that its header takes: whole blocks of direct I/O.
Bytes header_area(Bytes alignment);

}  // namespace storage_probe::engine
