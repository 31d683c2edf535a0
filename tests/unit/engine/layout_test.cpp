// SPDX-License-Identifier: Apache-2.0
#include "engine/layout.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "engine/probe_header.h"
#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"
#include "support/test_volume.h"

namespace storage_probe::engine {
namespace {

namespace fs = std::filesystem;
using test::read_whole;
using test::request;
using test::TestVolume;
using test::unlimited;
using test::write_file;

constexpr Bytes kSize{kMiB};

class LayoutTest : public ::testing::Test {
 protected:
  LayoutTest() : dir_(fs::current_path()), target_(test::checked(dir_.path())) {}
  void SetUp() override {
    if (!test::has_direct_io(dir_.path())) GTEST_SKIP() << "no direct I/O here";
  }

  fs::path place() const { return dir_ / ".storage-probe"; }
  fs::path final_name() const { return place() / "00c0ffee00c0ffee.dat"; }
  fs::path new_name() const { return place() / "00c0ffee00c0ffee.dat.new"; }
  ino_t inode() const {
    struct ::stat facts {};
    return ::stat(final_name().c_str(), &facts) == 0 ? facts.st_ino : 0;
  }
  bool is_complete() const {
    const auto found = ProbeFile::find(target_, request(kSize));
    return found && *found;
  }
  std::string failure_of_layout() const {
    const Layout layout = lay_out(target_, request(kSize), unlimited());
    return layout.file ? "none" : layout.file.failure().code;
  }

  test::TempDir dir_;
  CheckedDirectory target_;
};

TEST_F(LayoutTest, MakesACompleteFileAndNothingElse) {
  const Layout layout = lay_out(target_, request(kSize), unlimited());
  ASSERT_TRUE(layout.file) << layout.file.failure().message;
  EXPECT_EQ(layout.file->size(), kSize);
  EXPECT_EQ(layout.file->first_byte().value % 4096, 0U);
  EXPECT_EQ(layout.file->usable(), kSize - layout.file->first_byte());
  EXPECT_EQ(fs::file_size(final_name()), kSize.value);
  EXPECT_EQ(fs::status(final_name()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_FALSE(fs::exists(new_name()));
  EXPECT_TRUE(is_complete());
  EXPECT_GE(layout.spent[Operation::write].bytes, kSize);
  EXPECT_GT(layout.elapsed, Duration{});
}

TEST_F(LayoutTest, OpensTheFileForWhatTheProbeDoes) {
  const Layout reading = lay_out(target_, request(kSize), unlimited());
  ASSERT_TRUE(reading.file);
  EXPECT_EQ(::fcntl(reading.file->fd(), F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDONLY | O_DIRECT);
  const Layout writing = lay_out(target_, request(kSize, Access::write), unlimited());
  ASSERT_TRUE(writing.file);
  EXPECT_EQ(::fcntl(writing.file->fd(), F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDWR | O_DIRECT);
}

TEST_F(LayoutTest, GrowsAnOlderFileOfOursInItsPlace) {
  ASSERT_EQ(failure_of_layout(), "none");
  const ino_t older = inode();
  const Layout layout = lay_out(target_, request({2 * kSize.value}), unlimited());
  ASSERT_TRUE(layout.file);
  EXPECT_EQ(layout.file->size(), Bytes{2 * kSize.value});
  EXPECT_EQ(inode(), older);
  EXPECT_EQ(fs::file_size(final_name()), 2 * kSize.value);
  EXPECT_LT(layout.spent[Operation::write].bytes, Bytes{3 * kSize.value / 2});
}

TEST_F(LayoutTest, CutsAnOlderFileOfOursThatIsTooLarge) {
  ASSERT_TRUE(lay_out(target_, request({2 * kSize.value}), unlimited()).file);
  const Layout layout = lay_out(target_, request(kSize), unlimited());
  ASSERT_TRUE(layout.file);
  EXPECT_TRUE(is_complete());
  EXPECT_EQ(fs::file_size(final_name()), kSize.value);
  EXPECT_LE(layout.spent[Operation::write].bytes, Bytes{64 * kKiB.value});
}

TEST_F(LayoutTest, ReplacesAnOlderFileOfOursThatIsNotSound) {
  ASSERT_EQ(failure_of_layout(), "none");
  const ino_t older = inode();
  ASSERT_EQ(::truncate(final_name().c_str(), 65536), 0);
  EXPECT_EQ(failure_of_layout(), "none");
  EXPECT_TRUE(is_complete());
  EXPECT_NE(inode(), older);
  EXPECT_FALSE(fs::exists(new_name()));
}

TEST_F(LayoutTest, TakesAsManyRunsAsItsAllowanceMakesIt) {
  LayoutOptions options;
  options.allowance.bytes = Bytes{kSize.value + 128 * kKiB.value};
  const FileRequest wanted = request({4 * kSize.value});
  std::uintmax_t size = 0;
  for (int run = 1; run < 4; ++run) {
    const Layout layout = lay_out(target_, wanted, options);
    ASSERT_FALSE(layout.file) << run;
    EXPECT_EQ(layout.file.failure().code, "preparing");
    EXPECT_LE(layout.spent[Operation::write].bytes, options.allowance.bytes);
    EXPECT_FALSE(*ProbeFile::find(target_, wanted)) << "complete after " << run;
    EXPECT_GT(fs::file_size(final_name()), size);
    size = fs::file_size(final_name());
  }
  const Layout last = lay_out(target_, wanted, options);
  ASSERT_TRUE(last.file) << last.file.failure().message;
  EXPECT_TRUE(*ProbeFile::find(target_, wanted));
  EXPECT_EQ(fs::file_size(final_name()), 4 * kSize.value);
}

TEST_F(LayoutTest, SaysWhenTheFileWillBeReady) {
  LayoutOptions options;
  options.allowance.bytes = Bytes{kSize.value + 128 * kKiB.value};
  options.per_day = kSize;
  const Layout slow = lay_out(target_, request({4 * kSize.value}), options);
  ASSERT_FALSE(slow.file);
  EXPECT_EQ(slow.file.failure().message,
            "the probe file " + final_name().string() +
                " has 1.06 MiB of 4 MiB, as far as its budget goes; at 1 MiB a day it is ready in "
                "about 2.9 days");
  options.allowance.bytes = Bytes{};
  options.per_day = Bytes{12 * kSize.value};
  const Layout paused = lay_out(target_, request({4 * kSize.value}), options);
  ASSERT_FALSE(paused.file);
  EXPECT_NE(paused.file.failure().message.find("ready in about 5.9 hours"), std::string::npos);
}

TEST_F(LayoutTest, CompletesAPartOnceLessIsWanted) {
  LayoutOptions options;
  options.allowance.bytes = Bytes{2 * kSize.value};
  ASSERT_FALSE(lay_out(target_, request({4 * kSize.value}), options).file);
  EXPECT_FALSE(is_complete());
  EXPECT_EQ(failure_of_layout(), "none");
  EXPECT_TRUE(is_complete());
}

// What a killed run has added is not in the header: the file is as good as it was before.
TEST_F(LayoutTest, KeepsWhatItHadWhenItIsKilledWhileItGrows) {
  ASSERT_EQ(failure_of_layout(), "none");
  const ino_t older = inode();
  const pid_t child = ::fork();
  if (child == 0) {
    LayoutOptions options;
    options.rate = 4e6;
    lay_out(target_, request({64 * kMiB.value}), options);
    ::_exit(0);
  }
  for (int i = 0; i < 500 && fs::file_size(final_name()) < kSize.value * 3 / 2; ++i)
    ::usleep(10'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_GT(fs::file_size(final_name()), kSize.value);
  EXPECT_EQ(failure_of_layout(), "none");
  EXPECT_TRUE(is_complete());
  EXPECT_EQ(fs::file_size(final_name()), kSize.value);
  EXPECT_EQ(inode(), older);
}

TEST_F(LayoutTest, KeepsTheOlderFileWhenItFails) {
  ASSERT_EQ(failure_of_layout(), "none");
  const std::string before = read_whole(final_name());
  LayoutOptions options = unlimited();
  options.on_progress = [](double) { return Pace::stop; };
  const Layout layout = lay_out(target_, request({2 * kSize.value}), options);
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "preparing");
  EXPECT_GT(layout.spent[Operation::write].bytes, Bytes{});
  EXPECT_EQ(read_whole(final_name()), before);
  EXPECT_FALSE(fs::exists(new_name()));
}

TEST_F(LayoutTest, WritesNothingThatItsAllowanceDoesNotCover) {
  LayoutOptions options = unlimited();
  options.allowance.bytes = kKiB;
  const Layout layout = lay_out(target_, request(kSize), options);
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "preparing");
  EXPECT_NE(layout.file.failure().message.find("as far as its budget goes"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(LayoutTest, CreatesNothingInADataDirectory) {
  write_file(dir_ / "PG_VERSION", "15");
  EXPECT_EQ(failure_of_layout(), "data_directory");
  EXPECT_FALSE(fs::exists(place()));
}

TEST_F(LayoutTest, LeavesAFileThatIsNotOursUntouched) {
  fs::create_directory(place());
  const auto header = encode_header({kSize, 1, "host"});
  std::string newer(reinterpret_cast<const char*>(header.data()), header.size());
  newer[16] = 2;
  std::string flipped(reinterpret_cast<const char*>(header.data()), header.size());
  flipped[30] ^= 1;
  for (const std::string& content :
       {std::string("short"), std::string(kSize.value, 'x'), std::string(), newer, flipped}) {
    write_file(final_name(), content);
    EXPECT_EQ(failure_of_layout(), "file_conflict");
    EXPECT_EQ(read_whole(final_name()), content);
    EXPECT_FALSE(fs::exists(new_name()));
  }
}

TEST_F(LayoutTest, LeavesASparseOrReservedFileUntouched) {
  for (const bool reserved : {false, true}) {
    write_file(final_name(), "");
    const UniqueFd fd(::open(final_name().c_str(), O_RDWR));
    const auto size = static_cast<off_t>(kSize.value);
    if (reserved && ::fallocate(fd.get(), 0, 0, size) != 0) GTEST_SKIP() << "no fallocate";
    ASSERT_EQ(::ftruncate(fd.get(), size), 0);
    EXPECT_EQ(failure_of_layout(), "file_conflict");
    EXPECT_EQ(read_whole(final_name()), std::string(kSize.value, '\0'));
  }
}

TEST_F(LayoutTest, LeavesWhatIsNoPlainFileInItsPlace) {
  fs::create_directory(place());
  write_file(dir_ / "victim", std::string(8192, 'v'));
  for (const int kind : {0, 1, 2, 3, 4}) {
    fs::remove(final_name());
    if (kind == 0) fs::create_symlink(dir_ / "victim", final_name());
    if (kind == 1) fs::create_symlink(dir_ / "missing", final_name());
    if (kind == 2) fs::create_hard_link(dir_ / "victim", final_name());
    if (kind == 3) ::mkfifo(final_name().c_str(), 0600);
    if (kind == 4) fs::create_directory(final_name());
    EXPECT_EQ(failure_of_layout(), "file_conflict") << kind;
    EXPECT_TRUE(fs::exists(fs::symlink_status(final_name()))) << kind;
  }
  EXPECT_EQ(read_whole(dir_ / "victim"), std::string(8192, 'v'));
  EXPECT_FALSE(fs::exists(dir_ / "missing"));
}

// axboe/fio#719: a run that was killed while it laid its file out leaves holes for all that follow.
TEST_F(LayoutTest, StartsAgainAfterItWasKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    LayoutOptions options = unlimited();
    options.rate = 1e6;
    lay_out(target_, request({64 * kMiB.value}), options);
    ::_exit(0);
  }
  for (int i = 0; i < 500 && (!fs::exists(new_name()) || fs::file_size(new_name()) < 65536); ++i)
    ::usleep(10'000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(new_name()));
  EXPECT_FALSE(fs::exists(final_name()));
  EXPECT_FALSE(is_complete());
  EXPECT_EQ(failure_of_layout(), "none");
  EXPECT_TRUE(is_complete());
  EXPECT_FALSE(fs::exists(new_name()));
}

// Somebody who may write to the directory swaps its names for links to a file of another's, over
// and over, while we lay out.
TEST_F(LayoutTest, NeverWritesToAFileThatIsSwappedIn) {
  const std::string precious(64 * 1024, 'v');
  write_file(dir_ / "victim", precious);
  struct ::stat victim {};
  ASSERT_EQ(::stat((dir_ / "victim").c_str(), &victim), 0);
  ASSERT_EQ(failure_of_layout(), "none");
  std::atomic<bool> done{false};
  std::thread attacker([&] {
    std::error_code ignored;
    for (unsigned i = 0; !done; ++i) {
      const fs::path name = i % 3 == 0 ? final_name() : new_name();
      fs::remove(name, ignored);
      if (i % 2 == 0)
        fs::create_hard_link(dir_ / "victim", name, ignored);
      else
        fs::create_symlink(dir_ / "victim", name, ignored);
      if (i % 7 == 0) fs::rename(place(), dir_ / "aside", ignored);
      if (i % 7 == 1) fs::create_directory_symlink(dir_.path(), place(), ignored);
      if (i % 7 == 2) fs::remove(place(), ignored);
      if (i % 7 == 3) fs::rename(dir_ / "aside", place(), ignored);
      if (i % 5 == 0) fs::remove(name, ignored);
    }
  });
  for (int i = 0; i < 60; ++i) {
    const Layout layout = lay_out(target_, request({kSize.value / 4}, Access::write), unlimited());
    struct ::stat facts {};
    if (layout.file && ::fstat(layout.file->fd(), &facts) == 0) {
      EXPECT_NE(facts.st_ino, victim.st_ino);
    }
  }
  done = true;
  attacker.join();
  EXPECT_EQ(read_whole(dir_ / "victim"), precious);
}

TEST_F(LayoutTest, LeavesNoNameWithoutOne) {
  const Layout layout = lay_out_unnamed(target_, request(kSize, Access::write), unlimited());
  ASSERT_TRUE(layout.file) << layout.file.failure().message;
  EXPECT_EQ(layout.file->size(), kSize);
  EXPECT_TRUE(fs::is_empty(dir_.path()));
  struct ::stat facts {};
  ASSERT_EQ(::fstat(layout.file->fd(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0U);
  EXPECT_EQ(static_cast<std::uint64_t>(facts.st_size), kSize.value);
}

TEST(LayoutOnAVolume, RemovesWhatItWroteWhenTheDiskIsFull) {
  const TestVolume volume(TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto target = test::checked(volume.mountpoint());
  const auto free_before = fs::space(volume.mountpoint()).available;
  LayoutOptions options = unlimited();
  // Somebody else fills the disk between the check and the writing.
  options.on_progress = [&](double) {
    const UniqueFd fd(::open((volume.mountpoint() / "filler").c_str(), O_WRONLY | O_CREAT, 0600));
    const auto size = static_cast<off_t>(free_before - 4 * kMiB.value);
    return ::posix_fallocate(fd.get(), 0, size) == 0 ? Pace::go_on : Pace::stop;
  };
  const Layout layout = lay_out(target, request({16 * kMiB.value}), options);
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "no_space") << layout.file.failure().message;
  EXPECT_GT(layout.spent[Operation::write].bytes, Bytes{});
  fs::remove(volume.mountpoint() / "filler");
  EXPECT_FALSE(fs::exists(volume.mountpoint() / ".storage-probe/00c0ffee00c0ffee.dat.new"));
  EXPECT_GE(fs::space(volume.mountpoint()).available + 64 * kKiB.value, free_before);
}

TEST(LayoutOnAVolume, TakesBackWhatItAddedWhenTheDiskIsFull) {
  const TestVolume volume(TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto target = test::checked(volume.mountpoint());
  ASSERT_TRUE(lay_out(target, request(kSize), unlimited()).file);
  const auto size = static_cast<off_t>(fs::space(volume.mountpoint()).available - 4 * kMiB.value);
  LayoutOptions options = unlimited();
  options.on_progress = [&](double) {
    const UniqueFd fd(::open((volume.mountpoint() / "filler").c_str(), O_WRONLY | O_CREAT, 0600));
    return ::posix_fallocate(fd.get(), 0, size) == 0 ? Pace::go_on : Pace::stop;
  };
  const Layout layout = lay_out(target, request({16 * kMiB.value}), options);
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "no_space") << layout.file.failure().message;
  EXPECT_EQ(fs::file_size(volume.mountpoint() / ".storage-probe/00c0ffee00c0ffee.dat"),
            kSize.value);
  EXPECT_TRUE(*ProbeFile::find(target, request(kSize)));
}

TEST(LayoutOnAVolume, LeavesTheFreeSpaceThatTheRuleWants) {
  const TestVolume volume(TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  FileRequest automatic = request({});
  automatic.spec.size.reset();
  automatic.space = {0.5, kGiB};
  const auto target = test::checked(volume.mountpoint());
  const Layout layout = lay_out(target, automatic, unlimited());
  ASSERT_TRUE(layout.file) << layout.file.failure().message;
  const auto space = fs::space(volume.mountpoint());
  EXPECT_GE(space.available, space.capacity / 2);
  const auto again = ProbeFile::find(target, automatic);
  EXPECT_TRUE(again && *again);
}

TEST(LayoutOnAVolume, NamesAReadOnlyMount) {
  const TestVolume volume(TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto target = test::checked(volume.mountpoint());
  ASSERT_TRUE(lay_out(target, request(kSize), unlimited()).file);
  ASSERT_TRUE(volume.remount_read_only());
  const auto reading = ProbeFile::find(target, request(kSize));
  EXPECT_TRUE(reading && *reading);
  const auto writing = ProbeFile::find(target, request(kSize, Access::write));
  ASSERT_FALSE(writing);
  EXPECT_EQ(writing.failure().code, "read_only");
  const Layout layout = lay_out(target, request({2 * kSize.value}), unlimited());
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "read_only");
}

TEST(LayoutOnAVolume, SaysThatItMayNotCreateItsDirectory) {
  const TestVolume volume(TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto target = test::checked(volume.mountpoint());
  ASSERT_EQ(::seteuid(65534), 0);
  const Layout layout = lay_out(target, request(kSize), unlimited());
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(layout.file);
  EXPECT_EQ(layout.file.failure().code, "permission_denied");
  EXPECT_NE(layout.file.failure().message.find("make the directory for this user"),
            std::string::npos);
}

}  // namespace
}  // namespace storage_probe::engine
