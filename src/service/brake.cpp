// SPDX-License-Identifier: Apache-2.0
#include "service/brake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

namespace storage_probe::service {
namespace {

// So that a probe is over within a second: half of it to notice, the rest to die.
constexpr std::chrono::milliseconds kInterval{500};
constexpr std::chrono::seconds kFarewell{1};

}  // namespace

// Outlives the Brake for as long as a thread of it hangs.
struct Brake::Shared {
  Shared(Places the_places, UniqueFd event)
      : places(std::move(the_places)), event_fd(std::move(event)) {}

  void look_for_holds();
  void look_for_kill_switch();
  void serve(void (Shared::*look)());

  const Places places;
  const UniqueFd event_fd;

  // Under the mutex.
  std::mutex mutex;
  std::condition_variable wake;
  Holds held;
  bool is_disabled = false;
  bool is_stopped = false;
  unsigned threads = 0;

 private:
  template <typename Value>
  void tell(Value& known, Value found);
};

template <typename Value>
void Brake::Shared::tell(Value& known, Value found) {
  const std::lock_guard lock(mutex);
  if (known == found) return;
  known = std::move(found);
  const std::uint64_t one = 1;
  static_cast<void>(::write(event_fd.get(), &one, sizeof one));  // full: readable anyway
}

void Brake::Shared::look_for_holds() {
  tell(held, read_holds(places.holds, std::chrono::system_clock::now()));
}

// A disk that fails says nothing about the switch: it stays as it was.
void Brake::Shared::look_for_kill_switch() {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(places.kill_switch, error);
  if (status.type() == std::filesystem::file_type::none) return;
  tell(is_disabled, status.type() != std::filesystem::file_type::not_found);
}

void Brake::Shared::serve(void (Shared::*look)()) {
  std::unique_lock lock(mutex);
  while (!wake.wait_for(lock, kInterval, [this] { return is_stopped; })) {
    lock.unlock();
    (this->*look)();
    lock.lock();
  }
  --threads;
  wake.notify_all();
}

Result<Brake> Brake::watch(Places places) {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return Unexpected(system_error(errno).in("eventfd"));
  std::error_code ignored;  // `hold` says what is wrong with it, to whoever needs it
  std::filesystem::create_directories(places.holds, ignored);
  auto shared = std::make_shared<Shared>(std::move(places), std::move(event));
  Brake brake(shared);
  std::vector<void (Shared::*)()> looks{&Shared::look_for_holds};
  if (!shared->places.kill_switch.empty()) looks.push_back(&Shared::look_for_kill_switch);
  for (const auto look : looks) {
    (shared.get()->*look)();
    const std::lock_guard lock(shared->mutex);
    try {
      std::thread([shared, look] { shared->serve(look); }).detach();
    } catch (const std::system_error& e) {
      return Unexpected(
          system_error(e.code().value()).in("thread for " + shared->places.holds.string()));
    }
    ++shared->threads;
  }
  return brake;
}

Brake::Brake(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
Brake::Brake(Brake&&) noexcept = default;

Brake::~Brake() {
  if (!shared_) return;
  std::unique_lock lock(shared_->mutex);
  shared_->is_stopped = true;
  shared_->wake.notify_all();
  shared_->wake.wait_for(lock, kFarewell, [this] { return shared_->threads == 0; });
}

int Brake::event_fd() const { return shared_->event_fd.get(); }

Holds Brake::holds() {
  std::uint64_t events = 0;
  static_cast<void>(::read(shared_->event_fd.get(), &events, sizeof events));  // none: as before
  const std::lock_guard lock(shared_->mutex);
  Holds holds = shared_->held;
  // It has no end of its own, so it stands before a hold of all that has one.
  if (shared_->is_disabled) {
    const std::string file = shared_->places.kill_switch.string();
    holds.insert_or_assign(kHoldAll, Hold{{}, file + " exists: remove it to go on"});
  }
  return holds;
}

}  // namespace storage_probe::service
