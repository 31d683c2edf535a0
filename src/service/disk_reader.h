// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "config/config.h"

namespace storage_probe::service {

// Reads the configuration anew, each time on a thread of its own: the disk that it is on may hang,
// and the event loop must not. Owned by the service and used on the loop's thread. A thread that
// hangs is left behind, with nothing but what it owns.
class ConfigReader {
 public:
  using Read = std::function<config::Loaded()>;

  // `read` is called on the other thread, never twice at a time.
  static Result<ConfigReader> create(Read read);
  ConfigReader(ConfigReader&&) noexcept = default;
  ConfigReader& operator=(ConfigReader&&) noexcept = default;
  ConfigReader(const ConfigReader&) = delete;
  ConfigReader& operator=(const ConfigReader&) = delete;
  ~ConfigReader() = default;

  // What is on the disk now will be read. Any number of calls while a reading is under way make one
  // more after it, for that one may have begun before the file was changed.
  void request();
  bool is_reading() const { return is_reading_; }

  // Readable: take() has something.
  int event_fd() const;
  std::optional<config::Loaded> take();

 private:
  struct Shared;
  explicit ConfigReader(std::shared_ptr<Shared> shared);
  void start();

  std::shared_ptr<Shared> shared_;
  bool is_reading_ = false;
  bool once_more_ = false;
};

}  // namespace storage_probe::service
