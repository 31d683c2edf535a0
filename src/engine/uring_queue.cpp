// SPDX-License-Identifier: Apache-2.0
#include "engine/uring_queue.h"

#include <liburing.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

namespace storage_probe::engine {
namespace {

// From the best down to what 5.11 has: completions are run by the thread that waits for them
// instead of interrupting it, in a ring that starts disabled, so that it can be restricted first.
constexpr unsigned kCooperative = IORING_SETUP_R_DISABLED | IORING_SETUP_COOP_TASKRUN;
constexpr std::array kSetups{unsigned{IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER |
                                      IORING_SETUP_DEFER_TASKRUN},                 // 6.1
                             unsigned{kCooperative | IORING_SETUP_SINGLE_ISSUER},  // 6.0
                             unsigned{kCooperative},                               // 5.19
                             unsigned{IORING_SETUP_R_DISABLED}};

// Longer waits than this are cut: a caller asks again.
constexpr Duration kLongestWait = std::chrono::hours{1};

std::string usual_cause(int errno_value) {
  switch (errno_value) {
    case EPERM:
    case EACCES:
      return ": kernel.io_uring_disabled or a seccomp filter";
    case ENOSYS:
      return ": not in this kernel, or hidden by a seccomp filter";
    case ENOMEM:
      return ": out of memory or over RLIMIT_MEMLOCK";
    case EINVAL:
    case EOPNOTSUPP:
      return ": a kernel before 5.11, or a sandbox that does not have it";
  }
  return "";
}

// liburing returns negative errno values and leaves errno alone.
Error setup_error(const char* call, int result) {
  Error error = system_error(-result).in(call);
  const char* const name = strerrorname_np(-result);
  error.message +=
      " (" + std::string(name != nullptr ? name : "unknown") + ")" + usual_cause(-result);
  return error;
}

class UringQueue final : public IoQueue {
 public:
  explicit UringQueue(const QueueOptions& options) : options_(options) { ring_.ring_fd = -1; }
  ~UringQueue() override {
    if (ring_.ring_fd >= 0) io_uring_queue_exit(&ring_);
  }
  UringQueue(const UringQueue&) = delete;
  UringQueue& operator=(const UringQueue&) = delete;

  Result<void> set_up();
  Result<std::span<const Completion>> exchange(std::span<const Request> batch, unsigned wait_for,
                                               Duration timeout) override;

 private:
  Result<void> create_ring();
  void register_resources();
  void restrict_ring() const;
  void prepare(io_uring_sqe& sqe, const Request& request) const;
  std::span<const Completion> reap();

  QueueOptions options_;
  io_uring ring_{};
  bool file_is_registered_ = false;
  bool buffers_are_registered_ = false;
  std::vector<Completion> reaped_;
};

Result<void> UringQueue::create_ring() {
  int result = -EINVAL;
  for (const unsigned flags : kSetups) {
    io_uring_params params{};
    params.flags = flags;
    result = io_uring_queue_init_params(options_.depth, &ring_, &params);
    if (result != -EINVAL) break;
  }
  if (result < 0) {
    ring_.ring_fd = -1;
    return Unexpected(setup_error("io_uring_setup", result));
  }
  // Without it liburing sends timeouts as requests, which the restricted ring refuses.
  if ((ring_.features & IORING_FEAT_EXT_ARG) == 0) {
    return Unexpected(setup_error("io_uring_enter with a timeout", -EOPNOTSUPP));
  }
  return {};
}

// All of this only makes it faster or tighter: where it is refused (RLIMIT_MEMLOCK gives ENOMEM,
// buffers over 1 GiB EFAULT) the ring works without.
void UringQueue::register_resources() {
  file_is_registered_ = io_uring_register_files(&ring_, &options_.fd, 1) == 0;
  const auto memory = options_.buffers.memory();
  const iovec buffers{memory.data(), memory.size()};
  buffers_are_registered_ = io_uring_register_buffers(&ring_, &buffers, 1) == 0;
  // File systems that serve direct I/O from kernel threads get one thread per I/O, not thousands.
  std::array<unsigned, 2> most_workers{options_.depth, options_.depth};  // bounded, unbounded work
  io_uring_register_iowq_max_workers(&ring_, most_workers.data());
}

// Through the raw call: liburing 2.3 declares the wrapper and does not export it.
void UringQueue::restrict_ring() const {
  constexpr std::array kAllowed{IORING_OP_READ, IORING_OP_WRITE, IORING_OP_READ_FIXED,
                                IORING_OP_WRITE_FIXED, IORING_OP_FSYNC};
  std::array<io_uring_restriction, kAllowed.size() + 1> rules{};
  for (std::size_t i = 0; i < kAllowed.size(); ++i) {
    rules[i].opcode = IORING_RESTRICTION_SQE_OP;
    rules[i].sqe_op = static_cast<__u8>(kAllowed[i]);
  }
  rules.back().opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
  rules.back().sqe_flags = IOSQE_FIXED_FILE;
  io_uring_register(static_cast<unsigned>(ring_.ring_fd), IORING_REGISTER_RESTRICTIONS,
                    rules.data(), rules.size());
}

Result<void> UringQueue::set_up() {
  if (auto created = create_ring(); !created) return created;
  register_resources();
  restrict_ring();
  const int enabled = io_uring_register(static_cast<unsigned>(ring_.ring_fd),
                                        IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  if (enabled < 0) return Unexpected(setup_error("io_uring_register, enabling the ring", enabled));
  reaped_.resize(ring_.cq.ring_entries);
  return {};
}

void UringQueue::prepare(io_uring_sqe& sqe, const Request& request) const {
  const int fd = file_is_registered_ ? 0 : options_.fd;  // an index into the registered files
  std::byte* const buffer = options_.buffers.slot(request.slot).data() + request.buffer_offset;
  switch (request.operation) {
    case Operation::read:
      if (buffers_are_registered_) {
        io_uring_prep_read_fixed(&sqe, fd, buffer, request.length, request.offset, 0);
      } else {
        io_uring_prep_read(&sqe, fd, buffer, request.length, request.offset);
      }
      break;
    case Operation::write:
      if (buffers_are_registered_) {
        io_uring_prep_write_fixed(&sqe, fd, buffer, request.length, request.offset, 0);
      } else {
        io_uring_prep_write(&sqe, fd, buffer, request.length, request.offset);
      }
      break;
    case Operation::fsync:
      io_uring_prep_fsync(&sqe, fd, IORING_FSYNC_DATASYNC);
      break;
  }
  if (file_is_registered_) io_uring_sqe_set_flags(&sqe, IOSQE_FIXED_FILE);
  io_uring_sqe_set_data64(&sqe, request.slot);
}

std::span<const Completion> UringQueue::reap() {
  std::size_t count = 0;
  unsigned head = 0;
  io_uring_cqe* cqe = nullptr;
  io_uring_for_each_cqe(&ring_, head, cqe) {
    reaped_[count++] = {static_cast<std::uint32_t>(io_uring_cqe_get_data64(cqe)), cqe->res};
  }
  io_uring_cq_advance(&ring_, static_cast<unsigned>(count));
  return std::span<const Completion>(reaped_).first(count);
}

Result<std::span<const Completion>> UringQueue::exchange(std::span<const Request> batch,
                                                         unsigned wait_for, Duration timeout) {
  for (const Request& request : batch) {
    io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
    if (sqe == nullptr) return Unexpected({Errc::io, "io_uring: the submission queue is full"});
    prepare(*sqe, request);
  }
  const Duration wait = std::clamp(timeout, Duration::zero(), kLongestWait);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  __kernel_timespec limit{.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
  io_uring_cqe* first = nullptr;
  const int result = io_uring_submit_and_wait_timeout(&ring_, &first, wait_for, &limit, nullptr);
  // The last two leave requests in the ring; the next call submits them.
  const bool is_fine =
      result >= 0 || result == -ETIME || result == -EINTR || result == -EAGAIN || result == -EBUSY;
  if (!is_fine) {
    return Unexpected({Errc::io, system_error(-result).in("io_uring_enter").message});
  }
  return reap();
}

}  // namespace

Result<std::unique_ptr<IoQueue>> open_uring_queue(const QueueOptions& options) {
  auto queue = std::make_unique<UringQueue>(options);
  if (auto ready = queue->set_up(); !ready) return Unexpected(ready.error());
  return std::unique_ptr<IoQueue>(std::move(queue));
}

}  // namespace storage_probe::engine
