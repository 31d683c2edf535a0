// SPDX-License-Identifier: Apache-2.0
#include "service/program_copy.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace storage_probe::service {
namespace {

// A line of /proc/self/maps.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  std::string access;  // "r-xp"
  std::string file;    // device and inode

  std::size_t size() const { return end - begin; }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel gives addresses as numbers.
  std::byte* data() const { return reinterpret_cast<std::byte*>(begin); }
};

std::vector<Mapping> read_mappings() {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    Mapping mapping;
    char dash = 0;
    std::string offset;
    std::string device;
    std::string inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.access >> offset >>
        device >> inode;
    mapping.file = device;
    mapping.file.append(" ").append(inode);
    if (words) mappings.push_back(mapping);
  }
  return mappings;
}

// Those of the file that holds this function.
std::vector<Mapping> of_program(std::vector<Mapping> mappings) {
  const auto here = reinterpret_cast<std::uintptr_t>(&copy_program);
  std::string program;
  for (const Mapping& mapping : mappings) {
    if (mapping.begin <= here && here < mapping.end) program = mapping.file;
  }
  std::erase_if(mappings, [&](const Mapping& mapping) { return mapping.file != program; });
  return mappings;
}

// By way of a file in memory: where memory that was written may never be run
// (MemoryDenyWriteExecute), that is the way. The last step puts the copy in place at one stroke,
// for the threads that run in it as well.
Result<void> replace(const Mapping& old) {
  const UniqueFd file(::memfd_create("program", MFD_CLOEXEC));
  if (!file) return Unexpected(system_error(errno).in("memfd_create"));
  for (std::size_t done = 0; done < old.size();) {
    // The call itself: the address sanitizer's write() takes what it put between constants for a
    // fault.
    const long n = ::syscall(SYS_write, file.get(), old.data() + done, old.size() - done);
    if (n <= 0) return Unexpected(system_error(n == 0 ? EIO : errno).in("write"));
    done += static_cast<std::size_t>(n);
  }
  const int access = PROT_READ | (old.access[2] == 'x' ? PROT_EXEC : 0);
  void* const copy = ::mmap(nullptr, old.size(), access, MAP_PRIVATE, file.get(), 0);
  if (copy == MAP_FAILED) return Unexpected(system_error(errno).in("mmap"));
  if (::mremap(copy, old.size(), old.size(), MREMAP_MAYMOVE | MREMAP_FIXED, old.data()) ==
      MAP_FAILED) {
    const Error error = system_error(errno);
    ::munmap(copy, old.size());
    return Unexpected(error.in("mremap"));
  }
  return {};
}

// A page of a private mapping that has been written to is the process's own. Not watched by the
// address sanitizer, which puts bytes between variables that nobody else may touch.
[[gnu::no_sanitize_address]] void make_own(const Mapping& variables) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t at = 0; at < variables.size(); at += page) {
    // Changes nothing, also where another thread writes at the same time.
    auto* const byte = reinterpret_cast<unsigned char*>(variables.data() + at);
    __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED);
  }
}

}  // namespace

Result<void> copy_program() {
  for (const Mapping& mapping : of_program(read_mappings())) {
    if (mapping.access.starts_with("rw")) {
      make_own(mapping);
    } else if (mapping.access.starts_with("r")) {
      if (const auto replaced = replace(mapping); !replaced) {
        return Unexpected(replaced.error().in("copy the program into memory"));
      }
    }
  }
  return {};
}

}  // namespace storage_probe::service
