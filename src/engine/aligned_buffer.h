// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <utility>

#include "base/result.h"

namespace storage_probe::engine {

// Memory for direct I/O: whole pages of its own, zeroed, unmapped with the object.
class AlignedBuffer {
 public:
  static Result<AlignedBuffer> allocate(std::size_t bytes) {
    void* const start =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return Unexpected(system_error(errno).in("allocate an I/O buffer"));
    return AlignedBuffer(static_cast<std::byte*>(start), bytes);
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    AlignedBuffer moved(std::move(other));
    std::swap(start_, moved.start_);
    std::swap(bytes_, moved.bytes_);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() {
    if (start_ != nullptr) ::munmap(start_, bytes_);
  }

  std::byte* data() { return start_; }
  const std::byte* data() const { return start_; }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> bytes() { return {start_, bytes_}; }
  std::span<const std::byte> bytes() const { return {start_, bytes_}; }

 private:
  AlignedBuffer(std::byte* start, std::size_t bytes) : start_(start), bytes_(bytes) {}

  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace storage_probe::engine
