// SPDX-License-Identifier: Apache-2.0
#include "engine/checked.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace storage_probe::engine {
namespace {

TEST(Checked, HoldsAValueOrAFailure) {
  Checked<std::unique_ptr<int>> good(std::make_unique<int>(5));
  ASSERT_TRUE(good);
  EXPECT_EQ(**std::move(good), 5);
  const Checked<int> bad(fail(TargetState::no_space, "full"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.failure().code, "no_space");
  EXPECT_EQ(bad.failure().message, "full");
}

TEST(Checked, NamesTheStateOfAnErrno) {
  struct Case {
    int error;
    const char* code;
  };
  for (const auto& [error, code] :
       {Case{ENOSPC, "no_space"}, Case{EDQUOT, "no_space"}, Case{EROFS, "read_only"},
        Case{EACCES, "permission_denied"}, Case{EPERM, "permission_denied"}, Case{EIO, "io_error"},
        Case{ESTALE, "io_error"}, Case{ENOTCONN, "io_error"}})
    EXPECT_EQ(fail_with_errno(error, "open /x").code, code) << error;
  EXPECT_EQ(fail_with_errno(EIO, "open /x").message, "open /x: Input/output error");
  EXPECT_EQ(fail_with_errno(EACCES, "open /x").message,
            "open /x: Permission denied for uid " + std::to_string(::geteuid()));
}

TEST(Checked, NamesTheCureWhereThereIsOne) {
  EXPECT_NE(fail_with_errno(EDQUOT, "write /x").message.find("raise the quota of uid"),
            std::string::npos);
  EXPECT_NE(fail_with_errno(EFBIG, "write /x").message.find("LimitFSIZE"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::engine
