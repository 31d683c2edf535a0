// SPDX-License-Identifier: Apache-2.0
#include "service/host_id.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "support/files.h"
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

// A machine made from one image: the same machine id, its own sysfs.
class Clone {
 public:
  Clone& tag(const std::string& text) {
    test::write_file(sysfs_ / "class/dmi/id/board_asset_tag", text + "\n");
    return *this;
  }
  Clone& card(const std::string& name, const std::string& address) {
    test::write_file(sysfs_ / "class/net" / name / "address", address + "\n");
    std::filesystem::create_directories(sysfs_ / "class/net" / name / "device");
    return *this;
  }
  std::string id() const {
    return *host_id(
        {"/nonexistent", sysfs_.path(), [] { return std::optional<std::string>("m"); }});
  }
  // Without a machine id: what is kept in `storage`.
  std::string kept_id(const std::filesystem::path& storage) const {
    return *host_id({storage, sysfs_.path(), [] { return std::optional<std::string>(); }});
  }

 private:
  TempDir sysfs_;
};

TEST(HostId, ClonesWithDifferentBoardTagsDiffer) {
  EXPECT_NE(Clone().tag("i-0123456789abcdef0").id(), Clone().tag("i-0123456789abcdef1").id());
}

TEST(HostId, ABoardTagIsEnoughForTheIdToStay) {
  Clone before, after;
  before.tag("i-0123456789abcdef0").card("eth0", "02:00:00:00:00:01");
  after.tag("i-0123456789abcdef0").card("eth0", "02:00:00:00:00:02");
  EXPECT_EQ(before.id(), after.id());
}

TEST(HostId, ClonesOnBoardsWithoutATagOfTheirOwnDifferByTheirCards) {
  for (const char* tag : {"", "None", "Default string", "Not Specified", "No Asset Tag",
                          "To Be Filled By O.E.M.", "Asset-1234567890", "0000"}) {
    Clone a, b;
    a.tag(tag).card("eth0", "02:00:00:00:00:01");
    b.tag(tag).card("eth0", "02:00:00:00:00:02");
    EXPECT_NE(a.id(), b.id()) << tag;
    EXPECT_EQ(a.id(), a.id()) << tag;
  }
}

TEST(HostId, OnlyTheFirstCardCounts) {
  Clone a, b;
  a.card("eth0", "02:00:00:00:00:01").card("lo", "00:00:00:00:00:00");
  b.card("eth1", "02:00:00:00:00:07").card("eth0", "02:00:00:00:00:01");
  EXPECT_EQ(a.id(), b.id());
}

TEST(HostId, IsDrawnAndKeptWithoutAMachineId) {
  const TempDir storage;
  Clone host;
  host.card("eth0", "02:00:00:00:00:01");
  const std::string id = host.kept_id(storage.path());
  EXPECT_EQ(id.size(), 16U);
  EXPECT_EQ(host.kept_id(storage.path()), id);
}

TEST(HostId, IsDrawnAgainOnACopyOfTheState) {
  const TempDir storage;
  Clone a, b;
  a.card("eth0", "02:00:00:00:00:01");
  b.card("eth0", "02:00:00:00:00:02");
  const std::string id = a.kept_id(storage.path());
  EXPECT_NE(b.kept_id(storage.path()), id);
}

TEST(HostId, StaysWhereNothingTellsTheHardware) {
  const TempDir storage;
  const std::string id = Clone().kept_id(storage.path());
  EXPECT_EQ(Clone().kept_id(storage.path()), id);
  test::write_file(storage / "host-id", "00000000000000a1\n");  // as earlier versions wrote it
  EXPECT_EQ(Clone().card("eth0", "02:00:00:00:00:01").kept_id(storage.path()), "00000000000000a1");
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
