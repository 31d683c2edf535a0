// SPDX-License-Identifier: Apache-2.0
#include "service/brake.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
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
      : places(std::move(the_places)),
        event_fd(std::move(event)),
        answer_file(service::answer_file(places.holds)) {}

  void look_for_holds();
  void look_for_kill_switch();
  void serve(void (Shared::*look)());

  const Places places;
  const UniqueFd event_fd;
  AnswerFile answer_file;  // used by the thread that looks for holds only

  // Under the mutex.
  std::mutex mutex;
  std::condition_variable wake;
  Holds held;
  bool is_disabled = false;
  std::optional<HoldAnswer> answer;
  bool is_answer_new = false;
  bool is_stopped = false;
  unsigned threads = 0;

 private:
  Holds restored(WallTime now);
  void give_answer();

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

// The directory has gone, and the holds that were in it have not been released: a cleaner of
// temporary files does that. Where they cannot be written they stay in force all the same.
Holds Brake::Shared::restored(WallTime now) {
  Holds holds;
  {
    const std::lock_guard lock(mutex);
    holds = held;
  }
  std::erase_if(
      holds, [&](const auto& entry) { return entry.second.until && *entry.second.until <= now; });
  std::error_code ignored;
  std::filesystem::create_directories(places.holds, ignored);
  for (const auto& [target, hold] : holds) {
    static_cast<void>(write_hold(places.holds, target, hold));
  }
  return holds;
}

void Brake::Shared::give_answer() {
  std::unique_lock lock(mutex);
  is_answer_new = false;
  const std::optional<HoldAnswer> current = answer;
  lock.unlock();
  if (current) answer_file.write(*current);
}

void Brake::Shared::look_for_holds() {
  const auto now = std::chrono::system_clock::now();
  Holds found = read_holds(places.holds, now);
  std::error_code error;
  const auto type = std::filesystem::symlink_status(places.holds, error).type();
  if (type == std::filesystem::file_type::not_found) found = restored(now);
  tell(held, std::move(found));
  give_answer();
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
  const bool answers = look == &Shared::look_for_holds;
  for (;;) {
    wake.wait_for(lock, kInterval, [&] { return is_stopped || (answers && is_answer_new); });
    if (is_stopped) break;
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
    const std::string id = holds[kHoldAll].id;  // a hold of all is in force with it
    holds[kHoldAll] = Hold{{}, file + " exists: remove it to go on", id};
  }
  return holds;
}

void Brake::answer(HoldAnswer answer) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->answer == answer) return;
  shared_->answer = std::move(answer);
  shared_->is_answer_new = true;
  shared_->wake.notify_all();
}

}  // namespace storage_probe::service
