// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"
#include "engine/checked.h"
#include "engine/managed_file.h"

namespace storage_probe::engine {

// The file `lease` beside the probe file of a shared mount, and its two locks: one that the host
// whose turn it is holds for the length of its run, and one for as long as it takes to change the
// bytes. Both are locks of the open file on ranges behind its end (there they stop nobody from
// reading, even where locks are mandatory), so that they end with the process however it ends, over
// NFSv4 too. What the bytes mean is not known here.
//
// Runs in the child process: each call may hang with the target.
class LeaseFile {
 public:
  // Makes the file where it is missing. What is no plain file is refused and left untouched.
  static Checked<LeaseFile> open(const ManagedFile& beside);

  // False while another process has the turn. It is kept until release() or the end.
  Checked<bool> take_turn() const;
  void release_turn() const;

  // Hands the file's bytes to `change` and writes what that returns, if anything, durably; nobody
  // else changes them meanwhile. False when others were at it for two seconds.
  using Change = std::function<std::optional<std::string>(std::string_view bytes)>;
  Checked<bool> update(const Change& change) const;

  const std::string& name() const { return name_; }

 private:
  enum class Range { turn, bytes };

  LeaseFile(UniqueFd directory, UniqueFd fd, std::string name)
      : directory_(std::move(directory)), fd_(std::move(fd)), name_(std::move(name)) {}

  Checked<bool> lock(Range range) const;
  void unlock(Range range) const;
  std::optional<Failure> check() const;
  Checked<std::string> read() const;
  std::optional<Failure> write(std::string_view bytes) const;

  UniqueFd directory_;
  UniqueFd fd_;
  std::string name_;
};

}  // namespace storage_probe::engine
