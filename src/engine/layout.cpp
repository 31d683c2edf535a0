// SPDX-License-Identifier: Apache-2.0
#include "engine/layout.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "engine/direct_io.h"
#include "engine/file_writer.h"
#include "engine/managed_file.h"
#include "engine/space.h"

namespace storage_probe::engine {
namespace {

using Clock = std::chrono::steady_clock;

// What the smallest run writes: the round trip, a chunk of data, the header; each is whole blocks
// of any file system.
constexpr Bytes kSmallestRun{3 * 64 * kKiB.value};

Result<std::uint64_t> make_nonce() {
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
    return Unexpected(system_error(errno).in("getrandom"));
  return nonce;
}

// "at 1 GiB a day it is ready in about 2.8 days"
std::string forecast(Bytes missing, Bytes per_day) {
  const double days = static_cast<double>(missing.value) / static_cast<double>(per_day.value);
  const bool is_long = days >= 1;
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%.1f %s", is_long ? days : days * 24,
                is_long ? "days" : "hours");
  return "at " + human_bytes(per_day) + " a day it is ready in about " + time.data();
}

Failure incomplete(const std::string& file, Bytes has, Bytes wanted, const LayoutOptions& options) {
  std::string message = "the probe file " + file + " has " + human_bytes(has) + " of " +
                        human_bytes(wanted) + ", as far as its budget goes";
  if (options.per_day.value > 0) message += "; " + forecast(wanted - has, options.per_day);
  return fail(TargetState::preparing, message);
}

Failure called_off(const std::string& file, Bytes has, Bytes wanted) {
  return fail(TargetState::preparing, "the probe file " + file + " has " + human_bytes(has) +
                                          " of " + human_bytes(wanted) +
                                          "; others keep the device busy, it is continued later");
}

// A file and what it is to become: `from` bytes of it are there already.
struct Filling {
  OpenFile file;
  ProbeHeader header;
  Bytes alignment;
  Bytes from;
};

struct Filled {
  Bytes size;
  Bytes alignment;
  PerOperation<Usage> spent;
  std::optional<Failure> failure;     // what was written is worth nothing
  std::optional<Failure> incomplete;  // what was written is sound, but not all
};

Filled fill_file(const Filling& filling, const LayoutOptions& options) {
  FileWriter writer(filling.file, filling.header, options);
  Filled filled;
  filled.failure = writer.write(filling.alignment, filling.from);
  filled.alignment = filling.alignment;
  filled.spent = writer.spent();
  filled.size = writer.header().size;
  const Bytes has = filled.failure ? filling.from : filled.size;
  switch (writer.stopped_by()) {
    case FileWriter::Stop::complete:
      return filled;
    case FileWriter::Stop::allowance:
      filled.incomplete = incomplete(filling.file.name, has, filling.header.size, options);
      break;
    case FileWriter::Stop::called_off:
      filled.incomplete = called_off(filling.file.name, has, filling.header.size);
      break;
  }
  return filled;
}

Filled fill_new(const OpenFile& file, Bytes size, const CheckedDirectory& directory,
                const FileRequest& request, const LayoutOptions& options) {
  const auto alignment = direct_io_alignment(file, directory.mount().logical_block_size);
  const auto nonce = make_nonce();
  if (alignment && nonce)
    return fill_file({file, {size, *nonce, request.host_id}, *alignment, {}}, options);
  Filled filled;
  filled.failure =
      !alignment ? alignment.failure() : fail(TargetState::io_error, nonce.error().message);
  return filled;
}

// What must hold before anything is created or changed; then the size.
Checked<Bytes> plan(const CheckedDirectory& directory, const FileRequest& request,
                    const LayoutOptions& options, Bytes has) {
  if (auto failure = check_data_directory(directory, request.spec)) return *std::move(failure);
  if (auto failure = check_writable(directory)) return *std::move(failure);
  auto size = size_to_lay_out(directory, request, has);
  if (!size) return size;
  if (auto failure = check_file_limit(*size)) return *std::move(failure);
  if (options.allowance.bytes < kSmallestRun)
    return incomplete("in " + directory.path().string(), has, *size, options);
  return size;
}

Layout opened_layout(const ManagedFile& managed, int file, const Filled& filled, Access access) {
  if (filled.incomplete) return {*filled.incomplete, filled.spent};
  auto opened = managed.open_again(file, access);
  if (!opened) return {opened.failure(), filled.spent};
  return {
      ProbeFile(*std::move(opened), filled.size, header_area(filled.alignment), filled.alignment),
      filled.spent};
}

Layout make_new(const CheckedDirectory& directory, const FileRequest& request, Bytes size,
                const ManagedFile::Found* older, const LayoutOptions& options) {
  const auto managed = ManagedFile::create(directory, request);
  if (!managed) return {managed.failure()};
  const auto fd = managed->create_new();
  if (!fd) return {fd.failure()};
  Filled filled = fill_new(managed->named(fd->get()), size, directory, request, options);
  if (!filled.failure) filled.failure = managed->publish(fd->get(), older);
  if (!filled.failure) return opened_layout(*managed, fd->get(), filled, request.access);
  managed->discard(fd->get());
  return {filled.incomplete ? *filled.incomplete : *filled.failure, filled.spent};
}

// The older file keeps its data and its name; its header says at any instant how much is good.
Layout resize(const ManagedFile& managed, const ManagedFile::Found& older, Bytes size,
              const FileRequest& request, const LayoutOptions& options) {
  const auto fd = managed.open_again(older.fd.get(), Access::write);
  if (!fd) return {fd.failure()};
  const Filled filled = fill_file({managed.named(fd->get()),
                                   {size, older.header.nonce, request.host_id},
                                   older.alignment,
                                   std::min(older.header.size, size)},
                                  options);
  if (!filled.failure) return opened_layout(managed, fd->get(), filled, request.access);
  Failure failure = filled.incomplete ? *filled.incomplete : *filled.failure;
  // On a full disk every byte counts; should it fail, the next run cuts it.
  if (::ftruncate(fd->get(), static_cast<off_t>(older.header.size.value)) != 0)
    failure.message += " (and what was added could not be taken back)";
  return {std::move(failure), filled.spent};
}

Layout make_managed(const CheckedDirectory& directory, const FileRequest& request,
                    const LayoutOptions& options) {
  const auto managed = ManagedFile::open(directory, request);
  if (!managed) return {managed.failure()};
  std::optional<ManagedFile::Found> older;
  if (*managed) {
    auto found = (*managed)->find();
    if (!found) return {found.failure()};
    older = *std::move(found);
  }
  const bool is_kept = older && older->is_sound;
  const auto size = plan(directory, request, options, is_kept ? older->header.size : Bytes{});
  if (!size) return {size.failure()};
  if (is_kept) return resize(**managed, *older, *size, request, options);
  return make_new(directory, request, *size, older ? &*older : nullptr, options);
}

// Where the file system has no O_TMPFILE (NFS): a name for as long as it takes to remove it.
Checked<UniqueFd> open_and_unlink(const CheckedDirectory& directory, OpenFile file) {
  const auto nonce = make_nonce();
  if (!nonce) return fail(TargetState::io_error, nonce.error().message);
  const std::string name = ".storage-probe-" + std::to_string(*nonce);
  file.name = (directory.path() / name).string();
  UniqueFd fd(::openat(directory.fd(), name.c_str(),
                       O_RDWR | O_CREAT | O_EXCL | O_DIRECT | O_NOFOLLOW | O_CLOEXEC, 0600));
  const int error = errno;
  // Also after EINVAL: the file is created before its directness is refused.
  ::unlinkat(directory.fd(), name.c_str(), 0);
  if (!fd) return open_failure(error, file);
  return fd;
}

Checked<UniqueFd> open_unnamed(const CheckedDirectory& directory, const OpenFile& file) {
  UniqueFd fd(
      ::openat(directory.fd(), ".", O_TMPFILE | O_EXCL | O_RDWR | O_DIRECT | O_CLOEXEC, 0600));
  if (fd) return fd;
  if (errno == EOPNOTSUPP || errno == EISDIR) return open_and_unlink(directory, file);
  return open_failure(errno, file);
}

Layout make_unnamed(const CheckedDirectory& directory, const FileRequest& request,
                    const LayoutOptions& options) {
  const auto size = plan(directory, request, options, {});
  if (!size) return {size.failure()};
  OpenFile file{-1, "a file without a name in " + directory.path().string(),
                directory.mount().identity.fs_type};
  auto fd = open_unnamed(directory, file);
  if (!fd) return {fd.failure()};
  file.fd = fd->get();
  const Filled filled = fill_new(file, *size, directory, request, options);
  if (filled.failure) return {*filled.failure, filled.spent};
  if (filled.incomplete) return {*filled.incomplete, filled.spent};
  return {ProbeFile(*std::move(fd), *size, header_area(filled.alignment), filled.alignment),
          filled.spent};
}

}  // namespace

Layout lay_out(const CheckedDirectory& directory, const FileRequest& request,
               const LayoutOptions& options) {
  const SteadyTime start = Clock::now();
  Layout layout = make_managed(directory, request, options);
  layout.elapsed = Clock::now() - start;
  return layout;
}

Layout lay_out_unnamed(const CheckedDirectory& directory, const FileRequest& request,
                       const LayoutOptions& options) {
  const SteadyTime start = Clock::now();
  Layout layout = make_unnamed(directory, request, options);
  layout.elapsed = Clock::now() - start;
  return layout;
}

}  // namespace storage_probe::engine
