// SPDX-License-Identifier: Apache-2.0
#include "engine/buffer_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string>

namespace storage_probe::engine {

Result<BufferPool> BufferPool::create(unsigned slots, Bytes block_size) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto most = std::numeric_limits<std::uint64_t>::max() / 2;
  if (slots == 0 || block_size.value == 0 || block_size.value > most / slots - page) {
    return Unexpected({Errc::invalid, "I/O buffers: " + std::to_string(slots) + " of " +
                                          to_text(block_size) + " cannot be"});
  }
  const std::uint64_t stride = (block_size.value + page - 1) / page * page;
  const std::size_t length = slots * stride;
  // Populated, so that no page fault falls into a measurement.
  void* const memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    return Unexpected(system_error(errno).in("I/O buffers of " + human_bytes({length})));
  }
  std::shared_ptr<std::byte> owner(static_cast<std::byte*>(memory),
                                   [length](std::byte* start) { ::munmap(start, length); });
  return BufferPool(std::move(owner), slots, block_size, stride);
}

}  // namespace storage_probe::engine
