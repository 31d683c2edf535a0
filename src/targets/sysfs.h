// SPDX-License-Identifier: Apache-2.0
// Block devices as /sys shows them, found by their number ("259:3"), because names move. The root
// of sysfs is an argument. A device that vanishes while it is read is an empty answer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace storage_probe::targets {

struct BlockDevice {
  std::string name;    // the kernel's: "nvme1n1p1", "dm-0"
  std::string number;  // "259:3"
  std::string disk;    // number of the disk a partition is on; empty for anything but a partition
  std::vector<std::string> slaves;  // numbers of the devices a dm or md device is made of
  Bytes size;
  Bytes logical_block_size{512};  // of the disk
};

// Counters since boot, as /sys/dev/block/M:m/stat has them.
struct DeviceCounters {
  Ops reads, writes;  // completed
  Bytes bytes_read, bytes_written;
  Ops in_flight;
  std::optional<Ops> flushes;  // kernels before 5.5 do not count them
  Ops discards{};              // completed; kernels before 4.18 do not count them
  Duration queue_time{};       // that all requests together have been queued or served
};

// A small file without the blanks at its end; empty where there is none.
std::string read_attribute(const std::filesystem::path& file);

std::optional<BlockDevice> find_block_device(const std::filesystem::path& sysfs,
                                             std::string_view number);

// The device and everything that it is made of, itself first; no device twice.
std::vector<BlockDevice> find_stack(const std::filesystem::path& sysfs, std::string_view number);

// What does the I/O in the end: partitions are followed to their disk, dm and md devices to their
// slaves, as far as 1024 steps go. A plain disk is its own leaf. No device twice.
std::vector<BlockDevice> find_leaves(const std::filesystem::path& sysfs, std::string_view number);

// What an md array does by itself: "idle", "resync", "recover", "check"; empty for what is none.
// The kernel answers from memory and waits for no disk.
std::string md_action(const std::filesystem::path& sysfs, std::string_view number);

// The number behind a /dev path or a kernel name: "/dev/nvme1n1", "sda", "/dev/mapper/vg-data".
// Empty for what only udev knows (/dev/disk/by-id/...).
std::string number_of(const std::filesystem::path& sysfs, std::string_view device);

// Empty also where the kernel was told not to count (queue/iostats).
std::optional<DeviceCounters> read_counters(const std::filesystem::path& sysfs,
                                            std::string_view number);
std::optional<DeviceCounters> parse_counters(std::string_view stat);

}  // namespace storage_probe::targets
