// SPDX-License-Identifier: Apache-2.0
#include "engine/probe_file.h"

#include <fcntl.h>
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
using test::request;
using test::write_file;

constexpr Bytes kSize{kMiB};

class ProbeFileTest : public ::testing::Test {
 protected:
  ProbeFileTest() : dir_(fs::current_path()), target_(test::checked(dir_.path())) {}
  void SetUp() override {
    if (!test::has_direct_io(dir_.path())) GTEST_SKIP() << "no direct I/O here";
  }

  fs::path final_name() const { return dir_ / ".storage-probe/00c0ffee00c0ffee.dat"; }
  // "none", "found", or the code of the failure.
  std::string find(const FileRequest& wanted) const {
    const auto found = ProbeFile::find(target_, wanted);
    return !found ? found.failure().code : *found ? "found" : "none";
  }
  void lay_out_file() const {
    ASSERT_TRUE(lay_out(target_, request(kSize), test::unlimited()).file);
  }
  std::string open_existing(const char* path) const {
    ProbeFileSpec spec;
    spec.mode = ProbeFileSpec::Mode::existing;
    spec.path = path;
    const auto file = ProbeFile::open_existing(target_, spec);
    return file ? "opened" : file.failure().code;
  }

  test::TempDir dir_;
  CheckedDirectory target_;
};

TEST_F(ProbeFileTest, IsNotThereBeforeALayout) { EXPECT_EQ(find(request(kSize)), "none"); }

TEST_F(ProbeFileTest, IsFoundAfterALayout) {
  lay_out_file();
  const auto found = ProbeFile::find(target_, request(kSize, Access::write));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->size(), kSize);
  EXPECT_EQ(::fcntl((*found)->fd(), F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDWR | O_DIRECT);
}

TEST_F(ProbeFileTest, IsNotTheOneThatIsWantedInAnotherSize) {
  lay_out_file();
  EXPECT_EQ(find(request({2 * kSize.value})), "none");
}

TEST_F(ProbeFileTest, IsTakenOverFromAnotherHostButNotOnASharedMount) {
  lay_out_file();
  FileRequest other = request(kSize);
  other.host_id = "00000000000000b1";
  other.is_shared = true;
  EXPECT_EQ(find(other), "none");
  other.is_shared = false;
  EXPECT_EQ(find(other), "found");
  EXPECT_FALSE(fs::exists(final_name()));
  EXPECT_TRUE(fs::exists(dir_ / ".storage-probe/00000000000000b1.dat"));
}

TEST_F(ProbeFileTest, IsOneForAllHostsOfASharedMountAndNeedOnlyBeLargeEnough) {
  FileRequest shared = request(kSize);
  shared.is_shared = true;
  ASSERT_TRUE(lay_out(target_, shared, test::unlimited()).file);
  EXPECT_EQ(fs::status(dir_ / ".storage-probe/shared.dat").permissions(), fs::perms{0660});
  shared.host_id = "00000000000000b1";
  EXPECT_EQ(find(shared), "found");
  shared.spec.size = Bytes{kSize.value / 2};
  EXPECT_EQ(find(shared), "found");
  shared.spec.size = Bytes{kSize.value * 2};
  EXPECT_EQ(find(shared), "none");
}

TEST_F(ProbeFileTest, IsLaidOutAgainWhenSomebodyCutIt) {
  lay_out_file();
  ASSERT_EQ(::truncate(final_name().c_str(), 65536), 0);
  EXPECT_EQ(find(request(kSize)), "none");
  lay_out_file();
  EXPECT_EQ(find(request(kSize)), "found");
}

TEST_F(ProbeFileTest, IsLaidOutAgainWhenItHasHoles) {
  lay_out_file();
  const UniqueFd fd(::open(final_name().c_str(), O_RDWR));
  if (::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 65536, 65536) != 0)
    GTEST_SKIP() << "no holes can be made here";
  EXPECT_EQ(find(request(kSize)), "none");
}

TEST_F(ProbeFileTest, IsAConflictWhenItIsNotOurs) {
  write_file(final_name(), std::string(kSize.value, 'x'));
  EXPECT_EQ(find(request(kSize)), "file_conflict");
  EXPECT_EQ(find(request(kSize, Access::write)), "file_conflict");
  const auto found = ProbeFile::find(target_, request(kSize));
  EXPECT_EQ(found.failure().message,
            final_name().string() +
                " has no valid header, not our probe file: it is left "
                "untouched; rename it, or remove it with cleanup --force " +
                final_name().string());
}

TEST_F(ProbeFileTest, IsAConflictWhenItHasASecondName) {
  lay_out_file();
  fs::create_hard_link(final_name(), dir_ / "second");
  EXPECT_EQ(find(request(kSize)), "file_conflict");
}

TEST_F(ProbeFileTest, IsAConflictWhenANewerVersionMadeIt) {
  lay_out_file();
  {
    const UniqueFd fd(::open(final_name().c_str(), O_WRONLY));
    ASSERT_EQ(::pwrite(fd.get(), "\x02", 1, 16), 1);
  }
  const auto found = ProbeFile::find(target_, request(kSize));
  ASSERT_FALSE(found);
  EXPECT_NE(found.failure().message.find("newer version"), std::string::npos);
}

TEST_F(ProbeFileTest, MayBeTheOperatorsOwn) {
  write_file(dir_ / "base/big", std::string(kSize.value + 100, 'x'));
  ProbeFileSpec spec;
  spec.path = "base/big";
  const auto file = ProbeFile::open_existing(target_, spec);
  ASSERT_TRUE(file) << file.failure().message;
  EXPECT_EQ(file->size(), kSize);
  EXPECT_EQ(file->first_byte(), Bytes{});
  EXPECT_EQ(::fcntl(file->fd(), F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDONLY | O_DIRECT);
}

TEST_F(ProbeFileTest, RefusesAnExistingFileThatCannotServe) {
  write_file(dir_ / "small", "x");
  write_file(dir_ / "big", std::string(kSize.value, 'x'));
  fs::create_symlink("big", dir_ / "link");
  fs::create_directory(dir_ / "directory");
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  const std::string outside = "../" + dir_.path().filename().string() + "/big";
  for (const char* path :
       {"small", "link", "fifo", "directory", "missing", "big/x", "/etc/passwd", outside.c_str()})
    EXPECT_EQ(open_existing(path), "file_conflict") << path;
  EXPECT_EQ(open_existing("big"), "opened");
}

// axboe/fio#719: holes are read at the speed of memory.
TEST_F(ProbeFileTest, KnowsWhetherAnExistingFileHasHoles) {
  write_file(dir_ / "whole", std::string(kSize.value, 'x'));
  write_file(dir_ / "sparse", "x");
  fs::resize_file(dir_ / "sparse", 4 * kSize.value);
  ProbeFileSpec spec;
  spec.path = "whole";
  const auto whole = ProbeFile::open_existing(target_, spec);
  spec.path = "sparse";
  const auto sparse = ProbeFile::open_existing(target_, spec);
  ASSERT_TRUE(whole && sparse);
  EXPECT_FALSE(whole->has_holes());
  EXPECT_TRUE(sparse->has_holes());
}

TEST(ProbeDevice, IsABlockDevice) {
  const auto missing = ProbeFile::open_device("/dev/nonexistent");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.failure().code, "not_mounted");
  const auto null = ProbeFile::open_device("/dev/null");
  ASSERT_FALSE(null);
  EXPECT_EQ(null.failure().code, "not_a_disk");
}

TEST(ProbeDevice, IsOpenedForReadingOnlyAndWhole) {
  const test::TestVolume volume(test::TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  const auto file = ProbeFile::open_device(volume.device());
  ASSERT_TRUE(file) << file.failure().message;
  EXPECT_EQ(::fcntl(file->fd(), F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDONLY | O_DIRECT);
  EXPECT_EQ(file->size(), Bytes{64 * kMiB.value});
  EXPECT_EQ(file->first_byte(), Bytes{});
  EXPECT_TRUE(file->device_number().starts_with("7:")) << file->device_number();
}

TEST(ProbeDevice, MustBeOneThatThisUserMayRead) {
  const test::TestVolume volume(test::TestVolume::Kind::ext4);
  if (!volume.is_mounted()) GTEST_SKIP() << volume.why_not();
  ASSERT_EQ(::seteuid(65534), 0);
  const auto file = ProbeFile::open_device(volume.device());
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.failure().code, "permission_denied");
}

}  // namespace
}  // namespace storage_probe::engine
