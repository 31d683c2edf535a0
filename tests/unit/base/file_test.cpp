// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temp_dir.h"

namespace storage_probe {
namespace {

using test::TempDir;

void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::size_t entries(const TempDir& dir) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path()))
    ++count;
  return count;
}

TEST(ReadFile, ReturnsEveryByte) {
  const TempDir dir;
  const std::string text = std::string(50'000, 'x') + '\0' + "end";
  put(dir / "f", text);
  const auto got = read_file(dir / "f", text.size());
  ASSERT_TRUE(got);
  EXPECT_EQ(*got, text);
}

TEST(ReadFile, RefusesOneByteTooMany) {
  const TempDir dir;
  put(dir / "f", std::string(4097, 'x'));
  const auto got = read_file(dir / "f", 4096);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::exhausted);
  EXPECT_EQ(got.error().message, (dir / "f").string() + ": longer than 4KiB");
}

TEST(ReadFile, ReadsTheKernelsFilesThatHaveNoSize) {
  const auto got = read_file("/proc/self/mountinfo", 1U << 20U);
  ASSERT_TRUE(got);
  EXPECT_FALSE(got->empty());
}

TEST(ReadFile, SaysWhichFileIsMissing) {
  const auto got = read_file("/nowhere/at/all", 10);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::not_found);
  EXPECT_EQ(got.error().message, "open /nowhere/at/all: No such file or directory");
}

TEST(ReadFile, RefusesADirectory) {
  const TempDir dir;
  const auto got = read_file(dir.path(), 10);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().message, "read " + dir.path().string() + ": Is a directory");
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBeside) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomically(dir / "f", "one"));
  ASSERT_TRUE(write_file_atomically(dir / "f", "two"));
  EXPECT_EQ(*read_file(dir / "f", 10), "two");
  EXPECT_EQ(entries(dir), 1U);
  struct stat status {};
  ASSERT_EQ(::stat((dir / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(WriteFileAtomically, IgnoresALeftoverOfAKilledProcess) {
  const TempDir dir;
  put(dir / "f.new", "half");
  ASSERT_TRUE(write_file_atomically(dir / "f", "whole"));
  EXPECT_EQ(*read_file(dir / "f", 10), "whole");
  EXPECT_EQ(entries(dir), 1U);
}

TEST(WriteFileAtomically, DoesNotWriteThroughALinkThatLiesInWait) {
  const TempDir dir;
  put(dir / "precious", "untouched");
  std::filesystem::create_symlink(dir / "precious", dir / "f.new");
  ASSERT_TRUE(write_file_atomically(dir / "f", "text"));
  EXPECT_EQ(*read_file(dir / "precious", 100), "untouched");
}

TEST(WriteFileAtomically, LeavesTheOldFileWhenItCannotReplaceIt) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "f");  // a file cannot be renamed over a directory
  const auto written = write_file_atomically(dir / "f", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "rename to " + (dir / "f").string() + ": Is a directory");
  EXPECT_EQ(entries(dir), 1U);
}

TEST(WriteFileAtomically, SaysThatTheDirectoryIsMissing) {
  const auto written = write_file_atomically("/nowhere/f", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "create /nowhere/f.new: No such file or directory");
}

TEST(ReadFile, AFifoIsRefusedAndBlocksNobody) {
  const test::TempDir directory;
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  const auto text = read_file(directory / "fifo", 10);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("is no regular file"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe
