// SPDX-License-Identifier: Apache-2.0
#include "service/config_reader.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/unique_fd.h"

namespace storage_probe::service {

// Shared with the thread of the reading that is under way.
struct ConfigReader::Shared {
  Read read;
  UniqueFd event;
  std::mutex mutex;  // guards `loaded`
  std::optional<config::Loaded> loaded;

  void finish(config::Loaded result) {
    {
      const std::lock_guard lock(mutex);
      loaded = std::move(result);
    }
    ::eventfd_write(event.get(), 1);
  }
};

Result<ConfigReader> ConfigReader::create(Read read) {
  auto shared = std::make_shared<Shared>();
  shared->read = std::move(read);
  shared->event = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!shared->event) return Unexpected(system_error(errno).in("eventfd").in("config reader"));
  return ConfigReader(std::move(shared));
}

ConfigReader::ConfigReader(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

void ConfigReader::request() {
  if (is_reading_) {
    once_more_ = true;
  } else {
    start();
  }
}

void ConfigReader::start() {
  is_reading_ = true;
  once_more_ = false;
  try {
    std::thread([shared = shared_] { shared->finish(shared->read()); }).detach();
  } catch (const std::system_error& error) {
    config::Loaded failed;
    failed.errors.push_back(std::string("no thread to read the configuration: ") + error.what());
    shared_->finish(std::move(failed));
  }
}

int ConfigReader::event_fd() const { return shared_->event.get(); }

std::optional<config::Loaded> ConfigReader::take() {
  eventfd_t count = 0;
  ::eventfd_read(shared_->event.get(), &count);
  std::optional<config::Loaded> loaded;
  {
    const std::lock_guard lock(shared_->mutex);
    loaded = std::exchange(shared_->loaded, std::nullopt);
  }
  if (!loaded) return loaded;
  is_reading_ = false;
  if (once_more_) start();
  return loaded;
}

}  // namespace storage_probe::service
