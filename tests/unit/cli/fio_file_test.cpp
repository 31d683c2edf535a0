// SPDX-License-Identifier: Apache-2.0
#include "cli/fio_file.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

const ProbeSpec& read_probe() { return *find_preset("randread"); }
const ProbeSpec& write_probe() { return *find_preset("randwrite"); }

Target target_at(const std::filesystem::path& path) {
  Target target;
  target.path = path;
  target.file.size = Bytes{16 * kMiB.value};
  return target;
}

TEST(FioFile, AReadUsesTheProbeFileOfItsTarget) {
  const auto file = fio_file_for(target_at("/data"), read_probe(), "a1");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path, "/data/.storage-probe/a1.dat");
  EXPECT_EQ(file->life, FioFile::Life::existing);
  EXPECT_EQ(file->header, Bytes{4096});
}

TEST(FioFile, AWriteGetsAFileOfItsOwnEachTime) {
  const auto file = fio_file_for(target_at("/data"), write_probe(), "a1");
  const auto other = fio_file_for(target_at("/data"), write_probe(), "a1");
  ASSERT_TRUE(file && other);
  EXPECT_EQ(file->life, FioFile::Life::temporary);
  EXPECT_EQ(file->path.parent_path(), "/data");
  EXPECT_NE(file->path, other->path);
  EXPECT_EQ(file->size, Bytes{16 * kMiB.value});
}

TEST(FioFile, AnExplicitDirectoryIsWhereTheNewFileGoes) {
  Target target = target_at("/data");
  target.file.directory = "scratch";
  target.file.directory_is_explicit = true;
  const auto file = fio_file_for(target, write_probe(), "a1");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path.parent_path(), "/data/scratch");
}

TEST(FioFile, ExistingFilesAndDevicesAreNamedAsTheyAre) {
  Target target = target_at("/data");
  target.file.mode = ProbeFileSpec::Mode::existing;
  target.file.path = "big/file";
  EXPECT_EQ(fio_file_for(target, read_probe(), "")->path, "/data/big/file");
  Target device;
  device.device = "/dev/nvme1n1";
  const auto file = fio_file_for(device, read_probe(), "");
  EXPECT_EQ(file->path, "/dev/nvme1n1");
  EXPECT_EQ(file->life, FioFile::Life::existing);
}

TEST(FioFile, ABarePathGetsTheSizeThatTheProbeWouldTake) {
  const TempDir directory;
  Target target = target_at(directory.path());
  target.file = {};
  target.file.mode = ProbeFileSpec::Mode::unnamed;
  const auto file = fio_file_for(target, read_probe(), "");
  if (!file) GTEST_SKIP() << file.error().message;
  EXPECT_GE(*file->size, Bytes{16 * kMiB.value});
  EXPECT_LE(*file->size, kGiB);
}

TEST(FioFile, AMissingPathIsAnErrorThatNamesIt) {
  Target target = target_at("/nowhere/at/all");
  target.file = {};
  target.file.mode = ProbeFileSpec::Mode::unnamed;
  const auto file = fio_file_for(target, read_probe(), "");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("/nowhere/at/all"), std::string::npos);
}

}  // namespace
}  // namespace storage_probe::cli
