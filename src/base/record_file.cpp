// SPDX-License-Identifier: Apache-2.0
#include "base/record_file.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/unique_fd.h"

namespace storage_probe {
namespace {

using Records = std::vector<std::string>;

constexpr std::size_t kLargestFile = std::size_t{256} << 20U;
constexpr std::chrono::seconds kFarewell{1};
constexpr std::chrono::seconds kReadAgain{5};

std::string checksum(std::string_view record) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(stable_hash(record)));
  return text.data();
}

std::string line_of(std::string_view record) {
  return checksum(record) + ' ' + std::string(record) + '\n';
}

std::optional<std::string> record_of(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view record = line.substr(space + 1);
  if (line.substr(0, space) != checksum(record)) return std::nullopt;
  return std::string(record);
}

struct Parsed {
  RecordFile::Contents contents;
  std::size_t sound_bytes = 0;  // up to the end of the last good line
};

Result<Parsed> parse(std::string_view text, std::string_view format) {
  const std::size_t first = text.find('\n');
  if (first == std::string_view::npos || text.substr(0, first) != format) {
    return Unexpected({Errc::invalid, "its first line is not \"" + std::string(format) +
                                          "\": written by another version, or not "
                                          "ours: move it away to begin anew"});
  }
  Parsed parsed;
  bool some_are_bad = false;
  std::size_t at = first + 1;
  parsed.sound_bytes = at;
  for (std::size_t end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1) {
    auto record = record_of(text.substr(at, end - at));
    if (!record) {
      some_are_bad = true;
      continue;
    }
    parsed.contents.is_damaged |= some_are_bad;
    parsed.contents.records.push_back(*std::move(record));
    parsed.sound_bytes = end + 1;
  }
  return parsed;
}

Result<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Unexpected(system_error(errno).in("write"));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(fd) != 0) return Unexpected(system_error(errno).in("fdatasync"));
  return {};
}

}  // namespace

// What the owner and the thread share; it lasts until both have let go.
struct RecordFile::Shared {
  Shared(std::filesystem::path where, std::string first_line, UniqueFd event)
      : path(std::move(where)), format(std::move(first_line)), event_fd(std::move(event)) {}

  struct Work {
    std::optional<Records> rewrite;  // before what is appended
    Records append;
    std::uint64_t last = 0;  // number
  };

  void serve();
  bool load();
  Result<Parsed> read() const;
  Result<void> perform(const Work& work);
  Result<void> open_for_append(std::size_t keep);
  Result<void> still_has_its_name(bool may_be_gone) const;
  void answer(const Result<void>& done, std::uint64_t last);
  void signal() const {
    const std::uint64_t one = 1;
    static_cast<void>(::write(event_fd.get(), &one, sizeof one));  // full: it is readable already
  }

  const std::filesystem::path path;
  const std::string format;
  const UniqueFd event_fd;
  UniqueFd file;  // the thread's

  std::mutex mutex;  // guards what follows
  std::condition_variable wake, idle;
  Work queue;
  std::uint64_t last_number = 0, durable = 0;
  std::optional<Contents> contents;
  std::optional<Error> failure;
  bool is_busy = true;  // until the file has been read
  bool is_stopped = false;
};

void RecordFile::Shared::serve() {
  if (!load()) return;
  std::unique_lock lock(mutex);
  while (true) {
    is_busy = false;
    idle.notify_all();
    wake.wait(lock, [&] { return is_stopped || queue.last > 0; });
    if (queue.last == 0) return;
    const Work work = std::exchange(queue, {});
    is_busy = true;
    const bool is_usable = work.rewrite || !failure;
    lock.unlock();
    if (is_usable) answer(perform(work), work.last);
    lock.lock();
  }
}

void RecordFile::Shared::answer(const Result<void>& done, std::uint64_t last) {
  {
    const std::lock_guard lock(mutex);
    failure.reset();
    if (done) {
      durable = last;
    } else {
      failure = done.error().in(path.string());
    }
  }
  signal();
}

// Again and again, for a file that cannot be read now may be readable later: a disk that comes
// back, another's file that was moved away. False when told to stop.
bool RecordFile::Shared::load() {
  while (true) {
    auto parsed = read();
    if (parsed) {
      const std::size_t keep = parsed->sound_bytes;
      const auto opened = keep == 0 ? perform({Records(), {}, 0}) : open_for_append(keep);
      {
        const std::lock_guard lock(mutex);
        contents = std::move(parsed->contents);
      }
      answer(opened, 0);
      return true;
    }
    answer(Unexpected(parsed.error()), 0);
    std::unique_lock lock(mutex);
    is_busy = false;
    idle.notify_all();
    if (wake.wait_for(lock, kReadAgain, [this] { return is_stopped; })) return false;
    is_busy = true;
  }
}

Result<Parsed> RecordFile::Shared::read() const {
  const auto text = read_file(path, kLargestFile);
  if (text) return parse(*text, format);
  std::error_code error;
  if (std::filesystem::exists(path, error) || error) return Unexpected(text.error());
  return Parsed();
}

// What is beyond `keep` was torn: new records must not follow it on its line.
Result<void> RecordFile::Shared::open_for_append(std::size_t keep) {
  file = UniqueFd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return Unexpected(system_error(errno).in("open"));
  if (::ftruncate(file.get(), static_cast<off_t>(keep)) != 0) {
    return Unexpected(system_error(errno).in("truncate"));
  }
  return {};
}

// Whoever reads the path next must find what is written here. A file that was removed is made anew
// by a rewrite; another one in its place may be another process's.
Result<void> RecordFile::Shared::still_has_its_name(bool may_be_gone) const {
  struct ::stat ours {};
  struct ::stat named {};
  if (!file || ::fstat(file.get(), &ours) != 0) return {};
  if (::lstat(path.c_str(), &named) != 0) {
    if (errno != ENOENT) return Unexpected(system_error(errno).in("stat"));
    if (may_be_gone) return {};
    return Unexpected({Errc::not_found, "it was removed"});
  }
  if (ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) return {};
  return Unexpected({Errc::invalid, "another file has its place: put it back, or start again"});
}

Result<void> RecordFile::Shared::perform(const Work& work) {
  if (auto there = still_has_its_name(work.rewrite.has_value()); !there) return there;
  std::string text;
  if (work.rewrite) {
    text = format + '\n';
    for (const std::string& record : *work.rewrite) text += line_of(record);
  }
  for (const std::string& record : work.append) text += line_of(record);
  if (!work.rewrite) return write_all(file.get(), text);
  if (auto written = write_file_atomically(path, text); !written) return written;
  return open_for_append(text.size());
}

Result<RecordFile> RecordFile::open(std::filesystem::path path, std::string format) {
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return Unexpected(system_error(errno).in("eventfd"));
  auto shared = std::make_shared<Shared>(std::move(path), std::move(format), std::move(event));
  try {
    std::thread([shared] { shared->serve(); }).detach();
  } catch (const std::system_error& e) {
    return Unexpected(system_error(e.code().value()).in("thread for " + shared->path.string()));
  }
  return RecordFile(std::move(shared));
}

RecordFile::RecordFile(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
RecordFile::RecordFile(RecordFile&& other) noexcept = default;

RecordFile::~RecordFile() {
  if (!shared_) return;
  std::unique_lock lock(shared_->mutex);
  shared_->is_stopped = true;
  shared_->wake.notify_all();
  shared_->idle.wait_for(lock, kFarewell,
                         [this] { return !shared_->is_busy && shared_->queue.last == 0; });
}

int RecordFile::event_fd() const { return shared_->event_fd.get(); }

void RecordFile::clear_event() {
  std::uint64_t events = 0;
  static_cast<void>(::read(shared_->event_fd.get(), &events, sizeof events));  // none: nothing new
}

std::optional<RecordFile::Contents> RecordFile::take_contents() {
  clear_event();
  const std::lock_guard lock(shared_->mutex);
  return std::exchange(shared_->contents, std::nullopt);
}

std::uint64_t RecordFile::durable() {
  clear_event();
  const std::lock_guard lock(shared_->mutex);
  return shared_->durable;
}

std::optional<Error> RecordFile::failure() {
  clear_event();
  const std::lock_guard lock(shared_->mutex);
  return shared_->failure;
}

std::uint64_t RecordFile::append(std::string record) {
  const std::lock_guard lock(shared_->mutex);
  shared_->queue.append.push_back(std::move(record));
  shared_->queue.last = ++shared_->last_number;
  shared_->wake.notify_one();
  return shared_->last_number;
}

std::uint64_t RecordFile::rewrite(std::vector<std::string> records) {
  const std::lock_guard lock(shared_->mutex);
  shared_->queue.rewrite = std::move(records);
  shared_->queue.append.clear();
  shared_->queue.last = ++shared_->last_number;
  shared_->wake.notify_one();
  return shared_->last_number;
}

}  // namespace storage_probe
