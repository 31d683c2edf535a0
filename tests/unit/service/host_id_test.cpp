// SPDX-License-Identifier: Apache-2.0
#include "service/host_id.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using test::TempDir;

TEST(HostId, IsSixteenHexDigitsAndStable) {
  const TempDir storage;
  const auto first = host_id({storage.path(), "/sys"});
  const auto second = host_id({storage.path(), "/sys"});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->size(), 16U);
  EXPECT_EQ(first->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(*first, *second);
}

TEST(HostId, ClonesWithDifferentBoardTagsDiffer) {
  std::string ids[2];
  for (int machine = 0; machine < 2; ++machine) {
    const TempDir storage;
    const TempDir sysfs;
    const auto dmi = sysfs.path() / "class/dmi/id";
    std::filesystem::create_directories(dmi);
    ASSERT_TRUE(write_file_atomically(dmi / "board_asset_tag",
                                      "i-000000000000000" + std::to_string(machine) + "\n"));
    ids[machine] = *host_id({storage.path(), sysfs.path()});
  }
  EXPECT_NE(ids[0], ids[1]);
}

TEST(HostId, TheFlagTakesUpToSixteenHexDigits) {
  EXPECT_EQ(*parse_host_id("a1"), "00000000000000a1");
  EXPECT_EQ(*parse_host_id("0123456789abcdef"), "0123456789abcdef");
  for (const char* bad : {"", "xyz", "0123456789abcdef0", "../x", "ABC"}) {
    const auto id = parse_host_id(bad);
    ASSERT_FALSE(id) << bad;
    EXPECT_NE(id.error().message.find("1 to 16 of 0-9 a-f"), std::string::npos);
  }
}

}  // namespace
}  // namespace storage_probe::service
