// SPDX-License-Identifier: Apache-2.0
#include "base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace storage_probe {
namespace {

UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesAtTheEndOfItsScope) {
  int raw = -1;
  {
    const UniqueFd fd = open_null();
    raw = fd.get();
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, MovesWithoutClosing) {
  UniqueFd first = open_null();
  const int raw = first.get();
  const UniqueFd second = std::move(first);
  EXPECT_EQ(second.get(), raw);
  EXPECT_TRUE(is_open(raw));
}

TEST(UniqueFd, ClosesWhatAnAssignmentReplaces) {
  UniqueFd first = open_null();
  UniqueFd second = open_null();
  const int replaced = first.get();
  const int kept = second.get();
  first = std::move(second);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_TRUE(is_open(kept));
}

TEST(UniqueFd, SurvivesAssignmentToItself) {
  UniqueFd fd = open_null();
  UniqueFd& same = fd;
  fd = std::move(same);
  EXPECT_TRUE(is_open(fd.get()));
}

TEST(UniqueFd, ReleasesWithoutClosing) {
  UniqueFd fd = open_null();
  const UniqueFd owner(fd.release());
  EXPECT_FALSE(fd);
  EXPECT_TRUE(is_open(owner.get()));
}

}  // namespace
}  // namespace storage_probe
