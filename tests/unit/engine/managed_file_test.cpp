// SPDX-License-Identifier: Apache-2.0
#include "engine/managed_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"
#include "support/test_volume.h"

namespace storage_probe::engine {
namespace {

namespace fs = std::filesystem;
using test::read_whole;
using test::write_file;

constexpr Bytes kSize{kMiB};

class ManagedFileTest : public ::testing::Test {
 protected:
  ManagedFileTest() : dir_(fs::current_path()), target_(test::checked(dir_.path())) {}
  void SetUp() override {
    if (!test::has_direct_io(dir_.path())) GTEST_SKIP() << "no direct I/O here";
  }

  fs::path place() const { return dir_ / ".storage-probe"; }
  fs::path final_name() const { return place() / "00c0ffee00c0ffee.dat"; }
  fs::path new_name() const { return place() / "00c0ffee00c0ffee.dat.new"; }
  ManagedFile create() const { return *ManagedFile::create(target_, test::request(kSize)); }

  test::TempDir dir_;
  CheckedDirectory target_;
};

TEST_F(ManagedFileTest, CreatesNothingByLooking) {
  const auto file = ManagedFile::open(target_, test::request(kSize));
  ASSERT_TRUE(file);
  EXPECT_FALSE(*file);
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(ManagedFileTest, MakesItsDirectoryForItselfOnlyAndTagsIt) {
  const ManagedFile file = create();
  EXPECT_EQ(fs::status(place()).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(read_whole(place() / "CACHEDIR.TAG")
                  .starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
}

TEST_F(ManagedFileTest, TagsADirectoryThatWasMadeForIt) {
  fs::create_directory(place());
  create();
  EXPECT_TRUE(fs::exists(place() / "CACHEDIR.TAG"));
}

TEST_F(ManagedFileTest, DoesNotTagADirectoryOfTheOperators) {
  fs::create_directories(dir_ / "bench");
  FileRequest request = test::request(kSize);
  request.spec.directory = "bench/probe";
  request.spec.directory_is_explicit = true;
  ASSERT_TRUE(ManagedFile::create(target_, request));
  EXPECT_TRUE(fs::is_empty(dir_ / "bench/probe"));
}

TEST_F(ManagedFileTest, RefusesWhatIsNoDirectoryInItsPlace) {
  fs::create_directory(dir_ / "elsewhere");
  for (const int kind : {0, 1, 2}) {
    fs::remove(place());
    if (kind == 0) fs::create_directory_symlink(dir_ / "elsewhere", place());
    if (kind == 1) write_file(place(), "a file");
    if (kind == 2) ::mkfifo(place().c_str(), 0600);
    const auto file = ManagedFile::create(target_, test::request(kSize));
    ASSERT_FALSE(file) << kind;
    EXPECT_EQ(file.failure().code, "file_conflict");
  }
  EXPECT_TRUE(fs::is_empty(dir_ / "elsewhere"));
}

TEST_F(ManagedFileTest, RefusesADirectoryOutsideTheTarget) {
  for (const char* directory : {"..", "../x", "/tmp", "a/../../x"}) {
    FileRequest request = test::request(kSize);
    request.spec.directory = directory;
    EXPECT_FALSE(ManagedFile::create(target_, request)) << directory;
  }
}

TEST_F(ManagedFileTest, RefusesAHostIdThatIsNoFileName) {
  for (const char* id : {"", "..", "a/b", ".hidden"}) {
    FileRequest request = test::request(kSize);
    request.host_id = id;
    EXPECT_FALSE(ManagedFile::create(target_, request)) << id;
  }
}

TEST_F(ManagedFileTest, RefusesADirectoryOnAnotherFileSystem) {
  const test::TestVolume volume(test::TestVolume::Kind::tmpfs);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto parent = test::checked(volume.mountpoint().parent_path());
  FileRequest request = test::request(kSize);
  request.spec.directory = "mnt";
  const auto file = ManagedFile::create(parent, request);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.failure().code, "wrong_mount");
  EXPECT_TRUE(fs::is_empty(volume.mountpoint()));
}

TEST_F(ManagedFileTest, RemovesALeftoverWithoutOpeningIt) {
  const ManagedFile file = create();
  write_file(new_name(), "interrupted");
  const auto fd = file.create_new();
  ASSERT_TRUE(fd);
  EXPECT_EQ(fs::file_size(new_name()), 0U);
  EXPECT_EQ(fs::status(new_name()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ManagedFileTest, LeavesALeftoverThatIsNoPlainFile) {
  const ManagedFile file = create();
  write_file(dir_ / "victim", "precious");
  for (const int kind : {0, 1, 2, 3}) {
    fs::remove(new_name());
    if (kind == 0) fs::create_symlink(dir_ / "victim", new_name());
    if (kind == 1) fs::create_hard_link(dir_ / "victim", new_name());
    if (kind == 2) ::mkfifo(new_name().c_str(), 0600);
    if (kind == 3) fs::create_directory(new_name());
    const auto fd = file.create_new();
    ASSERT_FALSE(fd) << kind;
    EXPECT_EQ(fd.failure().code, "file_conflict");
    EXPECT_TRUE(fs::exists(fs::symlink_status(new_name()))) << kind;
  }
  EXPECT_EQ(read_whole(dir_ / "victim"), "precious");
}

TEST_F(ManagedFileTest, DoesNotReplaceAFileThatAppearedMeanwhile) {
  const ManagedFile file = create();
  const auto fd = file.create_new();
  write_file(final_name(), "somebody's");
  const auto failure = file.publish(fd->get(), nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "file_conflict");
  EXPECT_EQ(read_whole(final_name()), "somebody's");
}

TEST_F(ManagedFileTest, PutsBackAFileThatWasSwappedForTheOlderOne) {
  const ManagedFile file = create();
  const auto fd = file.create_new();
  ManagedFile::Found older{};
  ASSERT_EQ(::stat(dir_.path().c_str(), &older.facts), 0);  // anything but what is there
  write_file(final_name(), "somebody's");
  const auto failure = file.publish(fd->get(), &older);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "file_conflict");
  EXPECT_EQ(read_whole(final_name()), "somebody's");
}

TEST_F(ManagedFileTest, DoesNotPublishAFileThatWasSwapped) {
  const ManagedFile file = create();
  const auto fd = file.create_new();
  fs::remove(new_name());
  write_file(new_name(), "somebody's");
  const auto failure = file.publish(fd->get(), nullptr);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "file_conflict");
  file.discard(fd->get());
  EXPECT_EQ(read_whole(new_name()), "somebody's");
}

TEST_F(ManagedFileTest, DiscardsItsNewFile) {
  const ManagedFile file = create();
  const auto fd = file.create_new();
  file.discard(fd->get());
  EXPECT_FALSE(fs::exists(new_name()));
}

}  // namespace
}  // namespace storage_probe::engine
