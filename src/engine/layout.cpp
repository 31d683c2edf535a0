// SPDX-License-Identifier: Apache-2.0
#include "engine/layout.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "engine/direct_io.h"
#include "engine/file_writer.h"
#include "engine/managed_file.h"
#include "engine/space.h"

namespace storage_probe::engine {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Bytes kRoundTripBytes{64 * kKiB.value};  // at most; it is overwritten by the data

Result<std::uint64_t> make_nonce() {
  std::uint64_t nonce = 0;
  if (::getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
    return Unexpected(system_error(errno).in("getrandom"));
  return nonce;
}

struct Filled {
  PerOperation<Usage> spent;
  Bytes alignment;
  std::optional<Failure> failure;
};

Filled fill_file(const OpenFile& file, Bytes size, const CheckedDirectory& directory,
                 const FileRequest& request, const LayoutOptions& options) {
  Filled filled;
  const auto alignment = direct_io_alignment(file, directory.mount().logical_block_size);
  const auto nonce = make_nonce();
  if (!alignment || !nonce) {
    filled.failure =
        !alignment ? alignment.failure() : fail(TargetState::io_error, nonce.error().message);
    return filled;
  }
  filled.alignment = *alignment;
  FileWriter writer(file, {size, *nonce, request.host_id}, options);
  filled.failure = writer.write(*alignment);
  filled.spent = writer.spent();
  return filled;
}

// What must hold before anything is created; then the size.
Checked<Bytes> plan(const CheckedDirectory& directory, const FileRequest& request,
                    const LayoutOptions& options) {
  if (auto failure = check_data_directory(directory, request.spec)) return *std::move(failure);
  if (auto failure = check_writable(directory)) return *std::move(failure);
  auto size = size_to_lay_out(directory, request);
  if (!size || *size + kRoundTripBytes <= options.allowance) return size;
  return fail(TargetState::preparing,
              "a probe file of " + human_bytes(*size) + " for " + directory.path().string() +
                  " waits for its budget, which has " + human_bytes(options.allowance) + " left");
}

Layout make_managed(const CheckedDirectory& directory, const FileRequest& request,
                    const LayoutOptions& options) {
  const auto size = plan(directory, request, options);
  if (!size) return {size.failure()};
  const auto managed = ManagedFile::create(directory, request);
  if (!managed) return {managed.failure()};
  const auto older = managed->find();
  if (!older) return {older.failure()};
  const auto fd = managed->create_new();
  if (!fd) return {fd.failure()};
  Filled filled = fill_file(managed->named_new(fd->get()), *size, directory, request, options);
  if (!filled.failure) filled.failure = managed->publish(fd->get(), *older ? &**older : nullptr);
  if (filled.failure) {
    managed->discard(fd->get());
    return {*std::move(filled.failure), filled.spent};
  }
  auto opened = managed->open_again(fd->get(), request.access);
  if (!opened) return {opened.failure(), filled.spent};
  return {ProbeFile(*std::move(opened), *size, header_area(filled.alignment), filled.alignment),
          filled.spent};
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
  const auto size = plan(directory, request, options);
  if (!size) return {size.failure()};
  OpenFile file{-1, "a file without a name in " + directory.path().string(),
                directory.mount().identity.fs_type};
  auto fd = open_unnamed(directory, file);
  if (!fd) return {fd.failure()};
  file.fd = fd->get();
  Filled filled = fill_file(file, *size, directory, request, options);
  if (filled.failure) return {*std::move(filled.failure), filled.spent};
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
