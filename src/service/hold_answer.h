// SPDX-License-Identifier: Apache-2.0
// What a daemon says to holds, in a file beside their directory: by it the command `hold` knows
// that a daemon has taken its hold over, and which one. The daemon keeps the file locked for as
// long as it lives, so that what a dead one has said counts for nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace storage_probe::service {

struct HoldAnswer {
  std::filesystem::path storage_path;        // of the daemon that answers
  std::map<std::string, std::string> rests;  // held, and no probe of it is left: its hold's id
  std::set<std::string> unknown;             // held, and no target of the daemon's

  bool operator==(const HoldAnswer&) const = default;
};

std::filesystem::path answer_file(const std::filesystem::path& hold_directory);

// The living daemon's answer; empty while none lives, or while it is writing its answer.
Result<std::optional<HoldAnswer>> read_answer(const std::filesystem::path& file);

// The daemon's side: on the thread that looks for holds, as the disk may hang.
class AnswerFile {
 public:
  explicit AnswerFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Again where the file has gone. Another daemon's file is left alone: nothing is said then.
  void write(const HoldAnswer& answer);

 private:
  bool open();

  std::filesystem::path file_;
  UniqueFd fd_;  // locked
  std::string written_;
};

}  // namespace storage_probe::service
