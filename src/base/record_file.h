// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace storage_probe {

// A file of short text records that only grows, until it is rewritten: one line each, with a
// checksum, under a first line that names the format. A thread of its own does all I/O, also the
// first read: the owner, on whatever one thread it lives, never waits for a disk. Each batch of
// appended records is written and synced (fdatasync) before it counts as durable.
//
// A write that fails ends the file's use until the next rewrite() succeeds, for what the kernel
// still holds of it is not known. What is appended meanwhile is not kept; a rewrite stands for all
// that came before it. The destructor waits a
// second at most for what is queued; a thread that hangs in the kernel is left behind.
class RecordFile {
 public:
  struct Contents {
    std::vector<std::string> records;  // in the order in which they were written
    // Whether a line without a valid checksum stands before a good one. Bad lines at the end are no
    // damage: a crash tore them, before they were durable.
    bool is_damaged = false;
  };

  // Starts the thread, which reads the file or makes an empty one. A file that cannot be read, or
  // whose first line is not `format`, is a failure, stays as it is, and is looked at again every
  // few seconds.
  static Result<RecordFile> open(std::filesystem::path path, std::string format);
  RecordFile(RecordFile&& other) noexcept;
  RecordFile& operator=(RecordFile&&) = delete;
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  // Readable when one of the answers below has changed; they take the event back.
  int event_fd() const;

  // What the file held: once, as soon as it has been read.
  std::optional<Contents> take_contents();
  // What was asked for up to this number is on the disk.
  std::uint64_t durable();
  std::optional<Error> failure();

  // The number of the record, which must hold no line feed. Numbers start at 1.
  std::uint64_t append(std::string record);
  // Replaces all records: a new file, synced, takes the old one's place.
  std::uint64_t rewrite(std::vector<std::string> records);

 private:
  struct Shared;
  explicit RecordFile(std::shared_ptr<Shared> shared);
  void clear_event();

  std::shared_ptr<Shared> shared_;
};

}  // namespace storage_probe
