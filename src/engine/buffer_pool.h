// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/units.h"

namespace storage_probe::engine {

// The buffers of one run: one mapping, each slot page-aligned as O_DIRECT wants it, populated
// before anything is timed. The run's owner keeps it for as long as the queue that was opened on
// it.
class BufferPool {
 public:
  // `slots` buffers of `block_size` bytes. Errc::invalid when either is 0 or the product overflows.
  static Result<BufferPool> create(unsigned slots, Bytes block_size);

  BufferPool(BufferPool&&) noexcept = default;
  BufferPool& operator=(BufferPool&&) noexcept = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool() = default;

  unsigned slots() const { return slots_; }
  Bytes block_size() const { return block_size_; }
  std::span<std::byte> slot(std::uint32_t number) const {
    return {memory_.get() + number * stride_, static_cast<std::size_t>(block_size_.value)};
  }
  // The whole mapping, for registering it with the kernel.
  std::span<std::byte> memory() const { return {memory_.get(), slots_ * stride_}; }
  // A second owner of the same mapping: a thread that is stuck in pread(2) may outlive all others,
  // and the kernel must not write into what is mapped there next.
  BufferPool share() const { return {memory_, slots_, block_size_, stride_}; }

 private:
  BufferPool(std::shared_ptr<std::byte> memory, unsigned slots, Bytes block_size,
             std::size_t stride)
      : memory_(std::move(memory)), slots_(slots), block_size_(block_size), stride_(stride) {}

  std::shared_ptr<std::byte> memory_;
  unsigned slots_;
  Bytes block_size_;
  std::size_t stride_;  // block_size rounded up to whole pages
};

}  // namespace storage_probe::engine
