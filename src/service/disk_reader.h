// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace storage_probe::service {

// Reads files anew, each time on a thread of its own: the disk that they are on may hang, and the
// event loop must not. Owned by the service and used on the loop's thread. A thread that hangs is
// left behind, with nothing but what it owns.
template <typename T>
class DiskReader {
 public:
  using Read = std::function<T()>;
  using Failed = std::function<T(const std::string& why)>;

  // `read` is called on the other thread, never twice at a time; `failed` makes the answer where
  // there is no thread to be had.
  static Result<DiskReader> create(Read read, Failed failed) {
    auto shared = std::make_shared<Shared>();
    shared->read = std::move(read);
    shared->failed = std::move(failed);
    shared->event = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!shared->event) return Unexpected(system_error(errno).in("eventfd").in("disk reader"));
    return DiskReader(std::move(shared));
  }

  DiskReader(DiskReader&&) noexcept = default;
  DiskReader& operator=(DiskReader&&) noexcept = default;
  DiskReader(const DiskReader&) = delete;
  DiskReader& operator=(const DiskReader&) = delete;
  ~DiskReader() = default;

  // What is on the disk now will be read. Any number of calls while a reading is under way make one
  // more after it, for that one may have begun before the file was changed.
  void request() {
    if (is_reading_) {
      once_more_ = true;
    } else {
      start();
    }
  }
  bool is_reading() const { return is_reading_; }

  // Readable: take() has something.
  int event_fd() const { return shared_->event.get(); }

  std::optional<T> take() {
    eventfd_t count = 0;
    ::eventfd_read(shared_->event.get(), &count);
    std::optional<T> found;
    {
      const std::lock_guard lock(shared_->mutex);
      found = std::exchange(shared_->found, std::nullopt);
    }
    if (!found) return found;
    is_reading_ = false;
    if (once_more_) start();
    return found;
  }

 private:
  // Shared with the thread of the reading that is under way.
  struct Shared {
    Read read;
    Failed failed;
    UniqueFd event;
    std::mutex mutex;  // guards `found`
    std::optional<T> found;

    void finish(T result) {
      {
        const std::lock_guard lock(mutex);
        found = std::move(result);
      }
      ::eventfd_write(event.get(), 1);
    }
  };

  explicit DiskReader(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  void start() {
    is_reading_ = true;
    once_more_ = false;
    try {
      std::thread([shared = shared_] { shared->finish(shared->read()); }).detach();
    } catch (const std::system_error& error) {
      shared_->finish(shared_->failed(std::string("no thread to read it: ") + error.what()));
    }
  }

  std::shared_ptr<Shared> shared_;
  bool is_reading_ = false;
  bool once_more_ = false;
};

}  // namespace storage_probe::service
