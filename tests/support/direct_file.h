// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"
#include "support/temp_dir.h"

namespace storage_probe::test {

// A file of `blocks` blocks of 4 KiB in the working directory (a disk, where /tmp may be memory),
// open for direct I/O. Each 8 bytes hold their own offset. fd() is below 0 where the file system
// refuses direct I/O: skip then.
class DirectFile {
 public:
  static constexpr std::uint64_t kBlock = 4096;

  explicit DirectFile(std::uint64_t blocks, int access = O_RDWR)
      : dir_(std::filesystem::current_path()) {
    std::ofstream out(path(), std::ios::binary);
    for (std::uint64_t offset = 0; offset < blocks * kBlock; offset += sizeof(offset)) {
      out.write(reinterpret_cast<const char*>(&offset), sizeof(offset));
    }
    out.close();
    fd_ = UniqueFd(::open(path().c_str(), access | O_DIRECT | O_CLOEXEC));
  }

  int fd() const { return fd_.get(); }
  std::filesystem::path path() const { return dir_ / "file"; }

 private:
  TempDir dir_;
  UniqueFd fd_;
};

}  // namespace storage_probe::test
