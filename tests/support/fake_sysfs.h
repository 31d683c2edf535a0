// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::test {

// A tree like /sys, as far as block devices are concerned. Disks first, then what is on them.
class FakeSysfs {
 public:
  const std::filesystem::path& path() const { return root_.path(); }

  void add_disk(const std::string& name, const std::string& number, int logical_block_size = 512) {
    add(name, number, "devices/" + name);
    put("devices/" + name + "/queue/logical_block_size", std::to_string(logical_block_size) + "\n");
  }
  void add_partition(const std::string& disk, const std::string& name, const std::string& number) {
    add(name, number, "devices/" + disk + "/" + name);
    put("devices/" + disk + "/" + name + "/partition", "1\n");
  }
  // A dm or md device; `slaves` are directories below devices/.
  void add_stack(const std::string& name, const std::string& number,
                 std::initializer_list<std::string> slaves) {
    add_disk(name, number);
    for (const std::string& slave : slaves)
      link("../../" + slave,
           "devices/" + name + "/slaves/" + std::filesystem::path(slave).filename().string());
  }
  // A SCSI disk at `address` ("0:0:0:3") of a host below `bus`.
  void add_scsi_disk(const std::string& name, const std::string& number, const std::string& bus,
                     const std::string& address) {
    const std::string unit = "devices/" + bus + "/target0:0:0/" + address;
    add(name, number, unit + "/block/" + name);
    link("../../../" + address, unit + "/block/" + name + "/device");
  }
  // Any file, by its path below the root.
  void write_at(const std::string& name, std::string_view text) { put(name, text); }
  // An attribute of a disk.
  void write(const std::string& disk, const std::string& attribute, const std::string& text) {
    put("devices/" + disk + "/" + attribute, text);
  }
  // A member of a btrfs.
  void add_btrfs(const std::string& uuid, std::initializer_list<std::string> members) {
    for (const std::string& member : members)
      link("../../../../devices/" + member, "fs/btrfs/" + uuid + "/devices/" + member);
  }

 private:
  void add(const std::string& name, const std::string& number, const std::string& directory) {
    put(directory + "/dev", number + "\n");
    put(directory + "/size", "2048\n");
    put(directory + "/stat", "       1 0 8 0 2 0 16 0 3 0 0 0 0 0 0 4 0\n");
    link("../../" + directory, "dev/block/" + number);
    link("../../" + directory, "class/block/" + name);
    link("../" + directory, "block/" + name);
  }
  void put(const std::string& name, std::string_view text) { write_file(root_ / name, text); }
  void link(const std::string& to, const std::string& name) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::filesystem::create_symlink(to, root_ / name);
  }

  TempDir root_;
};

}  // namespace storage_probe::test
