// SPDX-License-Identifier: Apache-2.0
#include "worker/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "wire/job.h"
#include "wire/report.h"

namespace storage_probe::worker {
namespace {

using std::chrono::seconds;

constexpr seconds kMeasureGrace{5};
constexpr seconds kSilence{10};
constexpr std::size_t kChunk = 65536;  // what a pipe holds
constexpr std::size_t kMostCleaned = 256;
constexpr int kLockFd = 3;
constexpr int kExecFailed = 127;  // as a shell says it

// The job as a file in memory: a pipe could fill up, and a child that dies early would break it.
Result<UniqueFd> make_input(const Job& job) {
  const std::string text = wire::encode(job);
  if (text.size() > wire::kMaxJob.value) {
    return Unexpected(Error{Errc::exhausted, "job: longer than " + to_text(wire::kMaxJob)});
  }
  UniqueFd fd(::memfd_create("job", MFD_CLOEXEC));
  if (!fd) return Unexpected(system_error(errno).in("memfd_create"));
  // Memory takes it whole or fails.
  if (::pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return Unexpected(system_error(errno).in("write the job"));
  }
  return fd;
}

// All that the child needs between fork and exec, where it must not allocate.
struct Launch {
  const char* program;
  char* const* arguments;
  int input, output;
  int lock;  // -1: none
};

// In the child. Async-signal-safe calls only: other threads of the parent may have held any lock.
[[noreturn]] void become_worker(const Launch& launch) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // First out of the way: any of them may have one of the numbers that they are going to get.
  const int input = ::fcntl(launch.input, F_DUPFD_CLOEXEC, kLockFd + 1);
  const int output = ::fcntl(launch.output, F_DUPFD_CLOEXEC, kLockFd + 1);
  const int lock = launch.lock < 0 ? -1 : ::fcntl(launch.lock, F_DUPFD_CLOEXEC, kLockFd + 1);
  const bool placed = ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
                      (launch.lock < 0 || ::dup2(lock, kLockFd) >= 0);
  if (placed) {
    // What a library opened without O_CLOEXEC. Kernels before 5.9 refuse; ours all have the flag.
    ::close_range(launch.lock < 0 ? kLockFd : kLockFd + 1, ~0U, 0);
    ::execve(launch.program, launch.arguments, environ);
  }
  ::_exit(kExecFailed);
}

std::string describe_exit(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return "died by SIG" + std::string(name == nullptr ? "?" : name);
  }
  if (WEXITSTATUS(status) == kExecFailed) return "could not be started";
  return "ended with exit status " + std::to_string(WEXITSTATUS(status)) + " and no report";
}

// The exit status of a child that has ended. Where somebody traces it, a debugger or strace, they
// have the first look, and ours comes a moment later; 0 when they take their time.
int reap(pid_t pid) {
  constexpr int kTries = 100;
  int status = 0;
  for (int i = 0; i < kTries && ::waitpid(pid, &status, WNOHANG) == 0; ++i) ::usleep(1000);
  return status;
}

}  // namespace

Result<Process> Process::spawn(const Job& job, UniqueFd lock, SteadyTime now) {
  return spawn(job, std::move(lock), now, {"/proc/self/exe", "worker"});
}

Result<Process> Process::spawn(const Job& job, UniqueFd lock, SteadyTime now,
                               std::vector<std::string> command) {
  const auto input = make_input(job);
  if (!input) return Unexpected(input.error().in("start worker"));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Unexpected(system_error(errno).in("pipe").in("start worker"));
  }
  UniqueFd report_fd(ends[0]);
  const UniqueFd output(ends[1]);
  if (::fcntl(report_fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    return Unexpected(system_error(errno).in("pipe").in("start worker"));
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const Launch launch{arguments[0], arguments.data(), input->get(), output.get(), lock.get()};

  // Not posix_spawn(3): it waits for the exec, which hangs when our binary's file system does.
  const pid_t pid = ::fork();
  if (pid < 0) return Unexpected(system_error(errno).in("fork").in("start worker"));
  if (pid == 0) become_worker(launch);
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd) {
    const Error error = system_error(errno);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);  // it has opened nothing that could hold it
    return Unexpected(error.in("pidfd_open").in("start worker"));
  }

  Process process;
  process.pid_ = pid;
  process.pidfd_ = std::move(pidfd);
  process.report_fd_ = std::move(report_fd);
  process.target_ = job.target.name;
  process.path_ = job.target.path.empty() ? job.target.device : job.target.path;
  process.spec_ = job.spec;
  process.started_ = std::chrono::system_clock::now();
  process.last_line_ = now;
  return process;
}

bool Process::on_report_readable(SteadyTime now) {
  // A child that never stops writing gets a turn, not the thread.
  for (int turn = 0; turn < 16; ++turn) {
    const Input input = read_some(now);
    if (input != Input::more) return input == Input::drained;
  }
  return true;
}

Process::Input Process::read_some(SteadyTime now) {
  std::array<char, kChunk> buffer;
  const ssize_t got = ::read(report_fd_.get(), buffer.data(), buffer.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Input::drained : Input::ended;
  if (got == 0) return Input::ended;
  unread_.append(buffer.data(), static_cast<std::size_t>(got));
  take_lines(now);
  return complaint_.empty() ? Input::more : Input::ended;
}

void Process::take_lines(SteadyTime now) {
  std::size_t begin = 0;
  while (complaint_.empty()) {
    const std::size_t end = unread_.find('\n', begin);
    if (end == std::string::npos) break;
    take_line(std::string_view(unread_).substr(begin, end - begin), now);
    begin = end + 1;
  }
  unread_.erase(0, begin);
  if (unread_.size() > wire::kMaxLine.value) distrust("an endless line", now);
}

void Process::take_line(std::string_view text, SteadyTime now) {
  auto line = wire::decode_line(text);
  if (!line) return distrust(line.error().message, now);
  if (report_) return distrust("a line after its report", now);
  last_line_ = now;
  if (const auto* progress = std::get_if<Progress>(&*line)) {
    progress_ = *progress;
    if (progress->phase == Phase::measure && !measure_start_) measure_start_ = now;
    return;
  }
  if (auto* cleaned = std::get_if<Cleaned>(&*line)) {
    if (cleaned_.size() == kMostCleaned) return distrust("an endless list", now);
    cleaned_.push_back(std::move(*cleaned));
    return;
  }
  report_ = std::get<ProbeReport>(*std::move(line));
  if (report_->failure.has_value() == (report_->outcome == Outcome::ok)) {
    return distrust("a report that contradicts itself", now);
  }
  report_->target = target_;  // nothing that a child says goes under another's name
  report_->path = path_;
  report_->spec.name = spec_.name;
}

void Process::distrust(const std::string& why, SteadyTime now) {
  complaint_ = "worker wrote what no worker writes: " + why;
  kill(now);
}

void Process::kill(SteadyTime now) {
  if (killed_at_ || pid_ <= 0) return;
  was_overdue_ = now >= deadline();
  killed_at_ = now;
  ::kill(pid_, SIGKILL);  // not yet reaped, so the number is still its own
}

SteadyTime Process::deadline() const {
  if (measure_start_ && !report_ && spec_.longest() > Duration{}) {
    return *measure_start_ + spec_.longest() + kMeasureGrace;
  }
  return last_line_ + kSilence;
}

ProbeReport Process::collect(SteadyTime now) {
  while (complaint_.empty() && read_some(now) == Input::more) {
  }
  const int status = reap(pid_);
  pid_ = -1;
  if (!complaint_.empty()) return failed_report(Outcome::failed, {"worker_failed", complaint_});
  if (report_) return *std::move(report_);
  if (was_overdue_) {
    const std::string phase(to_text(progress_ ? progress_->phase : Phase::open));
    return failed_report(Outcome::timed_out,
                         {"timed_out", "worker did not end in time, in phase " + phase});
  }
  if (killed_at_) return failed_report(Outcome::failed, {"worker_failed", "worker was stopped"});
  return failed_report(Outcome::failed, {"worker_failed", "worker " + describe_exit(status)});
}

ProbeReport Process::stuck_report(SteadyTime now) const {
  const auto waited = std::chrono::duration_cast<seconds>(now - killed_at_.value_or(now));
  Failure failure{"stuck", "worker does not die: " + std::to_string(waited.count()) +
                               " s after SIGKILL it still waits for the kernel, process " +
                               std::to_string(pid_)};
  ProbeReport report = report_ ? *report_ : failed_report(Outcome::stuck, {});
  report.outcome = Outcome::stuck;
  report.state = TargetState::stuck;
  report.failure = std::move(failure);
  return report;
}

ProbeReport Process::failed_report(Outcome outcome, Failure failure) const {
  ProbeReport report;
  report.target = target_;
  report.path = path_;
  report.spec = spec_;
  report.outcome = outcome;
  report.failure = std::move(failure);
  report.started = started_;
  report.ended = std::chrono::system_clock::now();
  return report;
}

}  // namespace storage_probe::worker
