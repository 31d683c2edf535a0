// SPDX-License-Identifier: Apache-2.0
#include "engine/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "support/files.h"
#include "support/in_child.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
namespace {

// As a kernel before 5.6 has it.
bool forbid_openat2() {
  std::array filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{filter.size(), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() {
    test::write_file(dir_ / "in/a/file", "x");
    test::write_file(dir_ / "out/file", "x");
    std::filesystem::create_symlink("a", dir_ / "in/link");
    std::filesystem::create_symlink("file", dir_ / "in/a/filelink");
    std::filesystem::create_symlink(dir_ / "out", dir_ / "in/escape");
    in_ = UniqueFd(::open((dir_ / "in").c_str(), O_PATH | O_DIRECTORY));
  }

  // Errors of opening each of the paths, 0 for none.
  std::string errors() const {
    std::string text;
    for (const char* path : {"a/file", "a", ".", "a/../a/file", "../out/file", "escape/file",
                             "link/file", "a/filelink", "missing", "a/file/x"}) {
      const UniqueFd fd = open_beneath(in_.get(), path, O_RDONLY | O_NOFOLLOW);
      text +=
          std::string(path) + (fd ? " ok\n" : std::string(" ") + ::strerrorname_np(errno) + "\n");
    }
    const UniqueFd absolute = open_beneath(in_.get(), (dir_ / "in/a/file").string(), O_RDONLY);
    return text + (absolute ? "absolute ok\n" : "absolute refused\n");
  }

  test::TempDir dir_;
  UniqueFd in_;
};

TEST_F(BeneathTest, OpensOnlyWhatIsBelowWithoutLinks) {
  EXPECT_EQ(errors(),
            "a/file ok\na ok\n. ok\na/../a/file ok\n../out/file EXDEV\nescape/file ELOOP\n"
            "link/file ELOOP\na/filelink ELOOP\nmissing ENOENT\na/file/x ENOTDIR\n"
            "absolute refused\n");
}

TEST_F(BeneathTest, WalksThePathWhereTheKernelCannot) {
  const std::string found = test::in_child([this] { return forbid_openat2() ? errors() : "skip"; });
  if (found == "skip") GTEST_SKIP() << "no seccomp filter may be set here";
  EXPECT_EQ(found,
            "a/file ok\na ok\n. ok\na/../a/file EXDEV\n../out/file EXDEV\nescape/file ENOTDIR\n"
            "link/file ENOTDIR\na/filelink ELOOP\nmissing ENOENT\na/file/x ENOTDIR\n"
            "absolute refused\n");
}

TEST_F(BeneathTest, CreatesFiles) {
  const UniqueFd fd = open_beneath(in_.get(), "a/new", O_RDWR | O_CREAT | O_EXCL, 0600);
  EXPECT_TRUE(fd);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "in/a/new"));
}

}  // namespace
}  // namespace storage_probe::engine
