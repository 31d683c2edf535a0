// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/units.h"
#include "model/terms.h"
#include "service/disk_reader.h"
#include "service/event_loop.h"

namespace storage_probe::service {

// Reads the promises files again and again: a fleet's one artefact is replaced under running
// daemons. What was promised before holds while a file is wrong. Owned by the service, on the
// loop's thread, which never waits for the disk; loop and logger must outlive it.
class PromiseWatch {
 public:
  // `taken` is called with each book that was read.
  PromiseWatch(EventLoop& loop, Logger& logger, std::function<void(PromiseBook)> taken)
      : loop_(loop), logger_(logger), taken_(std::move(taken)) {}

  // From here on these files, at once and each half minute; none: an empty book.
  Result<void> watch(std::vector<std::filesystem::path> files);
  void tick(SteadyTime now);  // each second

 private:
  using Book = Result<PromiseBook>;
  void on_read();

  EventLoop& loop_;
  Logger& logger_;
  std::function<void(PromiseBook)> taken_;
  std::vector<std::filesystem::path> files_;
  std::optional<DiskReader<Book>> reader_;
  EventLoop::Source source_;
  SteadyTime last_;
  std::optional<PromiseBook> taken_book_;
  std::string flaw_;  // as last said
};

}  // namespace storage_probe::service
