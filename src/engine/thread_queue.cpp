// SPDX-License-Identifier: Apache-2.0
#include "engine/thread_queue.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace storage_probe::engine {
namespace {

constexpr unsigned kMostThreads = 256;
constexpr Duration kLongestWait = std::chrono::hours{1};

// What the queue and its threads share; it lasts until the last of them lets go.
struct Shared {
  Shared(UniqueFd file, const QueueOptions& options)
      : fd(std::move(file)), buffers(options.buffers.share()), requests(options.depth) {
    completions.reserve(options.depth);
  }

  const UniqueFd fd;
  const BufferPool buffers;

  std::mutex mutex;  // guards what follows
  std::condition_variable work, done;
  std::vector<Request> requests;  // a ring of `pending` from `first` on
  std::size_t first = 0, pending = 0;
  std::vector<Completion> completions;
  std::size_t wanted = 0;  // completions that the waiting side needs; 0 while it does not wait
  bool is_stopped = false;
};

std::int32_t perform(const Shared& shared, const Request& request) {
  std::byte* const buffer = shared.buffers.slot(request.slot).data() + request.buffer_offset;
  const auto offset = static_cast<off_t>(request.offset);
  ssize_t result = -1;
  switch (request.operation) {
    case Operation::read:
      result = ::pread(shared.fd.get(), buffer, request.length, offset);
      break;
    case Operation::write:
      result = ::pwrite(shared.fd.get(), buffer, request.length, offset);
      break;
    case Operation::fsync:
      result = ::fdatasync(shared.fd.get());
      break;
  }
  return result < 0 ? -errno : static_cast<std::int32_t>(result);
}

// Waits for a request; empty when the queue is gone.
std::optional<Request> next_request(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  shared.work.wait(lock, [&] { return shared.is_stopped || shared.pending > 0; });
  if (shared.is_stopped) return std::nullopt;
  const Request request = shared.requests[shared.first];
  shared.first = (shared.first + 1) % shared.requests.size();
  --shared.pending;
  return request;
}

// Nobody is woken under the mutex, here and below, only to wait for it again.
void hand_back(Shared& shared, const Completion& completion) {
  std::unique_lock lock(shared.mutex);
  shared.completions.push_back(completion);
  const bool is_enough = shared.completions.size() == shared.wanted;
  lock.unlock();
  if (is_enough) shared.done.notify_one();
}

void serve(Shared& shared) {
  while (const auto request = next_request(shared)) {
    hand_back(shared, {request->slot, perform(shared, *request)});
  }
}

class ThreadQueue final : public IoQueue {
 public:
  explicit ThreadQueue(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {
    reaped_.reserve(shared_->requests.size());
  }
  ~ThreadQueue() override {
    const std::lock_guard lock(shared_->mutex);
    shared_->is_stopped = true;
    shared_->work.notify_all();
  }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  Result<void> start(unsigned threads) {
    for (unsigned started = 0; started < threads; ++started) {
      try {
        std::thread([shared = shared_] { serve(*shared); }).detach();
      } catch (const std::system_error& e) {
        return Unexpected(system_error(e.code().value())
                              .in("I/O thread " + std::to_string(started + 1) + " of " +
                                  std::to_string(threads)));
      }
    }
    return {};
  }

  Result<std::span<const Completion>> exchange(std::span<const Request> batch, unsigned wait_for,
                                               Duration timeout) override {
    const auto deadline = std::chrono::steady_clock::now() + std::min(timeout, kLongestWait);
    std::unique_lock lock(shared_->mutex);
    if (shared_->pending + batch.size() > shared_->requests.size()) {
      return Unexpected({Errc::io, "I/O threads: more requests than the queue's depth"});
    }
    for (const Request& request : batch) {
      shared_->requests[(shared_->first + shared_->pending++) % shared_->requests.size()] = request;
    }
    shared_->wanted = wait_for;
    lock.unlock();
    for (std::size_t i = 0; i < batch.size(); ++i) shared_->work.notify_one();
    lock.lock();
    shared_->done.wait_until(lock, deadline,
                             [&] { return shared_->completions.size() >= shared_->wanted; });
    shared_->wanted = 0;
    reaped_.clear();
    reaped_.swap(shared_->completions);
    return std::span<const Completion>(reaped_);
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::vector<Completion> reaped_;
};

}  // namespace

Result<std::unique_ptr<IoQueue>> open_thread_queue(const QueueOptions& options) {
  UniqueFd fd(::fcntl(options.fd, F_DUPFD_CLOEXEC, 0));
  if (!fd)
    return Unexpected(system_error(errno).in("I/O threads: duplicate the file's descriptor"));
  // Waits with a timeout are otherwise up to 50 us late, which the pacer would take for latency. It
  // is a setting of the calling thread, the one that will wait; failing leaves it at the default.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  auto queue = std::make_unique<ThreadQueue>(std::make_shared<Shared>(std::move(fd), options));
  if (auto started = queue->start(std::min(options.depth, kMostThreads)); !started) {
    return Unexpected(started.error());
  }
  return std::unique_ptr<IoQueue>(std::move(queue));
}

}  // namespace storage_probe::engine
