// SPDX-License-Identifier: Apache-2.0
#include "service/hold_answer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace storage_probe::service {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::string_view kState = "state=";
constexpr std::string_view kRests = "rests=";
constexpr std::string_view kUnknown = "unknown=";
constexpr std::string_view kEnd = "end";  // without it the file is being written

// Names are those of files, which may have any character: one with a line's end gets no answer.
bool is_plain(const std::string& name) { return name.find('\n') == std::string::npos; }

std::string encode(const HoldAnswer& answer) {
  std::string text = std::string(kState) + answer.storage_path.string() + '\n';
  for (const auto& [name, id] : answer.rests) {
    if (is_plain(name)) text.append(kRests).append(id).append(" ").append(name).append("\n");
  }
  for (const std::string& name : answer.unknown) {
    if (is_plain(name)) text += std::string(kUnknown) + name + '\n';
  }
  return text + std::string(kEnd) + '\n';
}

std::optional<HoldAnswer> decode(const std::string& text) {
  HoldAnswer answer;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == kEnd) return answer;
    if (line.starts_with(kState)) answer.storage_path = line.substr(kState.size());
    if (line.starts_with(kUnknown)) answer.unknown.insert(line.substr(kUnknown.size()));
    if (!line.starts_with(kRests)) continue;
    const std::string rest = line.substr(kRests.size());
    const std::size_t space = rest.find(' ');
    if (space != std::string::npos) answer.rests[rest.substr(space + 1)] = rest.substr(0, space);
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path answer_file(const std::filesystem::path& hold_directory) {
  return hold_directory.parent_path() / "hold.answer";
}

Result<std::optional<HoldAnswer>> read_answer(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!fd && errno == ENOENT) return std::optional<HoldAnswer>();
  if (!fd) return Unexpected(system_error(errno).in("open " + file.string()));
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) return std::optional<HoldAnswer>();
  if (errno != EWOULDBLOCK) return Unexpected(system_error(errno).in("lock " + file.string()));
  const auto text = read_file(file, kLargestFile);
  if (!text) return Unexpected(text.error());
  return decode(*text);
}

bool AnswerFile::open() {
  struct stat ours {};
  struct stat there {};
  if (fd_ && ::fstat(fd_.get(), &ours) == 0 && ::stat(file_.c_str(), &there) == 0 &&
      ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
    return true;
  written_.clear();
  constexpr mode_t kReadableByAll = 0644;
  fd_ = UniqueFd(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
                        kReadableByAll));
  if (fd_ && ::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) fd_.reset();
  return static_cast<bool>(fd_);
}

// In place, for the lock is the file's. Whoever reads half of it misses the end.
void AnswerFile::write(const HoldAnswer& answer) {
  std::string text = encode(answer);
  if (!open() || text == written_) return;
  const bool done =
      ::ftruncate(fd_.get(), 0) == 0 &&
      ::pwrite(fd_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  written_ = done ? std::move(text) : "";  // again at the next look
}

}  // namespace storage_probe::service
