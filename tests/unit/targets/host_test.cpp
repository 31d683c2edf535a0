// SPDX-License-Identifier: Apache-2.0
#include "targets/host.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::targets {
namespace {

TEST(Host, AddsUpTheTicksOfAllProcessorsWithoutThoseOfGuests) {
  const auto ticks =
      parse_processor_ticks("cpu  1 2 3 4 5 6 7 8 900 900\ncpu0 9 9 9 9 9 9 9 9 0 0\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->all, 36U);
  EXPECT_EQ(ticks->stolen, 8U);
}

TEST(Host, RefusesWhatIsNotTheStatFile) {
  for (const char* text :
       {"", "cpu", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  1 2 3 4 5 6 7\n8 9",
        "cpu  1 2 3 4 5 6 7 x", "cpu  1 2 3 4 5 6 -7 8", "intr 1 2 3"}) {
    EXPECT_FALSE(parse_processor_ticks(text)) << text;
  }
}

TEST(Host, ReadsTheStatFile) {
  const test::TempDir procfs;
  EXPECT_FALSE(read_processor_ticks(procfs.path()));
  test::write_file(procfs / "stat", "cpu  10 0 0 0 0 0 0 5\n");
  ASSERT_TRUE(read_processor_ticks(procfs.path()));
  EXPECT_EQ(read_processor_ticks(procfs.path())->all, 15U);
}

TEST(Host, KnowsItsBoot) {
  const test::TempDir procfs;
  EXPECT_EQ(read_boot_id(procfs.path()), "");
  test::write_file(procfs / "sys/kernel/random/boot_id", "5b1d92c4-0e37\n");
  EXPECT_EQ(read_boot_id(procfs.path()), "5b1d92c4-0e37");
}

TEST(Host, StolenTimeIsAShareOfTheMachine) {
  EXPECT_DOUBLE_EQ(stolen_share({1000, 50}, {1200, 60}), 0.05);
  EXPECT_EQ(stolen_share({1000, 50}, {1000, 50}), 0);
  EXPECT_EQ(stolen_share({1000, 50}, {900, 60}), 0) << "backwards";
  EXPECT_EQ(stolen_share({1000, 50}, {1100, 40}), 0) << "backwards";
  EXPECT_EQ(stolen_share({1000, 50}, {1001, 60}), 1);
}

TEST(RunDelay, IsTheSecondOfTheNumbers) {
  const test::TempDir root;
  std::filesystem::create_directories(root / "self");
  EXPECT_EQ(read_run_delay(root.path()), std::nullopt);
  test::write_file(root / "self/schedstat", "123456 7890 12\n");
  EXPECT_EQ(read_run_delay(root.path()), std::chrono::nanoseconds(7890));
  for (const char* const nonsense : {"", "1", "1 x 2", "1 -5 2"}) {
    test::write_file(root / "self/schedstat", nonsense);
    EXPECT_EQ(read_run_delay(root.path()), std::nullopt) << nonsense;
  }
}

}  // namespace
}  // namespace storage_probe::targets
