// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace storage_probe {

// Hands immutable values from one writer to many readers, on any threads; a reader keeps the value
// it got for as long as it likes. get() is null before the first set(). A mutex, because GCC 12's
// std::atomic<std::shared_ptr> makes ThreadSanitizer report a race.
template <typename T>
class Published {
 public:
  void set(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace storage_probe
