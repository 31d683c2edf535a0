// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "support/temp_dir.h"

namespace storage_probe::test {

// A small ext4 on a loop device over /dev/shm, or a tmpfs, mounted for one test. Everything is done
// in a mount namespace of this process, so that also a killed test leaves no mount behind, and the
// loop device goes with its last mount. Where that cannot be, is_mounted() is false: skip, and say
// why_not().
class TestVolume {
 public:
  enum class Kind { ext4, tmpfs };

  explicit TestVolume(Kind kind, int mib = 64) : image_dir_("/dev/shm") {
    std::filesystem::create_directory(mountpoint());
    if (!is_apart()) return;
    const std::string size = std::to_string(mib) + "m";
    const std::string image = (image_dir_ / "image").string();
    if (kind == Kind::tmpfs)
      is_mounted_ = run("mount -t tmpfs -o size=" + size + " tmpfs " + mountpoint().string());
    else
      is_mounted_ = run("truncate -s " + size + " " + image + " && mkfs.ext4 -q -m 0 " + image +
                        " && mount -o loop " + image + " " + mountpoint().string());
    if (!is_mounted_) why_not_ = "needs a loop device, mkfs.ext4 and mount";
  }
  ~TestVolume() {
    if (is_mounted_) ::umount2(mountpoint().c_str(), MNT_DETACH);
  }
  TestVolume(const TestVolume&) = delete;
  TestVolume& operator=(const TestVolume&) = delete;

  bool is_mounted() const { return is_mounted_; }
  const std::string& why_not() const { return why_not_; }
  std::filesystem::path mountpoint() const { return mount_dir_ / "mnt"; }
  // The loop device of an ext4.
  std::filesystem::path device() const {
    struct ::stat facts {};
    ::stat(mountpoint().c_str(), &facts);
    return "/dev/loop" + std::to_string(minor(facts.st_dev));
  }
  bool remount_read_only() const {
    return ::mount(nullptr, mountpoint().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  static bool run(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
  }

  // Whether what this process mounts is its own affair from now on.
  bool is_apart() {
    if (::geteuid() != 0) {
      why_not_ = "needs root";
    } else if (::unshare(CLONE_NEWNS) != 0) {
      why_not_ = std::string("needs a mount namespace: ") + std::strerror(errno);
    } else if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      why_not_ =
          std::string("needs private mounts, which a chroot has not: ") + std::strerror(errno);
    } else {
      return true;
    }
    return false;
  }

  TempDir image_dir_;
  TempDir mount_dir_;
  bool is_mounted_ = false;
  std::string why_not_;
};

}  // namespace storage_probe::test
