// SPDX-License-Identifier: Apache-2.0
// What is given up is given up for good, so each test does it in a child: a death test.
#include "worker/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/unique_fd.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::worker {
namespace {

using std::chrono::seconds;

// In the child: 0 when the claim holds.
[[noreturn]] void verdict(bool claim) { ::_exit(claim ? 0 : 1); }

bool opens(const std::filesystem::path& path, int flags) {
  return static_cast<bool>(UniqueFd(::open(path.c_str(), flags | O_CLOEXEC, 0600)));
}

TEST(ConfineDeathTest, LimitsWhatAProcessMayTake) {
  const test::TempDir dir;
  const auto limited = [&] {
    if (!limit_process({seconds{60}, Bytes{4096}})) return false;
    const UniqueFd fd(::open((dir / "f").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    if (::pwrite(fd.get(), "x", 1, 4096) != -1 || errno != EFBIG) return false;
    rlimit core{};
    rlimit cpu{};
    ::getrlimit(RLIMIT_CORE, &core);
    ::getrlimit(RLIMIT_CPU, &cpu);
    return core.rlim_cur == 0 && cpu.rlim_cur == 60;
  };
  EXPECT_EXIT(verdict(limited()), testing::ExitedWithCode(0), "");
}

TEST(ConfineDeathTest, RefusesTheNetwork) {
  const auto refused = [] {
    if (!limit_process({seconds{60}, kGiB}) || !restrict_system_calls()) return false;
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return !fd && errno == EPERM;
  };
  EXPECT_EXIT(verdict(refused()), testing::ExitedWithCode(0), "");
}

TEST(ConfineDeathTest, RefusesFurtherRingsOnlyOnceAsked) {
  const auto set_up_ring = [] {
    return ::syscall(SYS_io_uring_setup, 1, nullptr) == -1 ? errno : 0;
  };
  const auto refused = [&] {
    if (!limit_process({seconds{60}, kGiB}) || !restrict_system_calls()) return false;
    if (set_up_ring() != EFAULT) return false;
    return refuse_further_rings() && set_up_ring() == EPERM;
  };
  if (set_up_ring() != EFAULT) GTEST_SKIP() << "this kernel refuses io_uring";
  EXPECT_EXIT(verdict(refused()), testing::ExitedWithCode(0), "");
}

TEST(ConfineDeathTest, KeepsFilesToTheDirectory) {
  const test::TempDir inside;
  const test::TempDir outside;
  const auto file = test::write_file(outside / "file", "");
  const auto kept = [&] {
    const UniqueFd directory(::open(inside.path().c_str(), O_PATH | O_CLOEXEC));
    if (!limit_process({seconds{60}, kGiB})) return 1;
    const auto restricted = restrict_files(directory.get(), {"/proc/self", "/no/such/path"});
    if (!restricted) return restricted.error().code == Errc::not_found ? 77 : 2;
    const bool writes =
        opens(inside / "new", O_CREAT | O_WRONLY) && opens(inside / "new", O_RDONLY);
    const bool reads = opens("/proc/self/mountinfo", O_RDONLY);
    const bool strays = opens(file, O_RDONLY) || opens(outside / "new", O_CREAT | O_WRONLY);
    const bool cuts = ::truncate(file.c_str(), 1) == 0;
    return writes && reads && !strays && !cuts ? 0 : 3;
  };
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1);
  if (version < 0) {
    EXPECT_EXIT(::_exit(kept()), testing::ExitedWithCode(77), "") << "absence must be said so";
    GTEST_SKIP() << "this kernel has no Landlock";
  }
  if (version < 3) GTEST_SKIP() << "this Landlock does not know truncate(2)";
  EXPECT_EXIT(::_exit(kept()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace storage_probe::worker
