// SPDX-License-Identifier: Apache-2.0
#include "engine/cleanup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <thread>

#include "engine/layout.h"
#include "support/checked_directory.h"
#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
namespace {

namespace fs = std::filesystem;
using test::read_whole;
using test::request;
using test::write_file;

constexpr Bytes kSize{kMiB};
constexpr const char* kName = "00c0ffee00c0ffee.dat";

class CleanupTest : public ::testing::Test {
 protected:
  CleanupTest() : dir_(fs::current_path()), target_(test::checked(dir_.path())) {}
  void SetUp() override {
    if (!test::has_direct_io(dir_.path())) GTEST_SKIP() << "no direct I/O here";
  }

  fs::path place() const { return dir_ / ".storage-probe"; }
  void lay_out_file(const FileRequest& wanted = request(kSize)) const {
    ASSERT_TRUE(lay_out(target_, wanted, {}).file);
  }
  // "done", or the code of the failure; what was told is in `told_`, by file name.
  std::string clean(const FileRequest& wanted = request(kSize)) {
    told_.clear();
    const auto failure = clean_up(target_, wanted, [&](const Cleaned& each) { note(each); });
    return failure ? failure->code : "done";
  }
  std::string force(const std::string& name) {
    told_.clear();
    const auto failure =
        remove_by_force(target_, request(kSize), name, [&](const Cleaned& each) { note(each); });
    return failure ? failure->code : "done";
  }
  void note(const Cleaned& each) {
    told_[fs::path(each.path).filename()] = (each.is_removed ? "removed: " : "left: ") + each.what;
  }

  test::TempDir dir_;
  CheckedDirectory target_;
  std::map<std::string, std::string> told_;
};

TEST_F(CleanupTest, LeavesNothingOfALayout) {
  lay_out_file();
  write_file(place() / (std::string(kName) + ".new"), "interrupted");
  EXPECT_EQ(clean(), "done");
  EXPECT_TRUE(fs::is_empty(dir_.path()));
  EXPECT_EQ(told_[kName], "removed: probe file of 1 MiB");
  EXPECT_TRUE(told_[std::string(kName) + ".new"].starts_with("removed: leftover"));
  EXPECT_EQ(told_["CACHEDIR.TAG"], "removed: tag for backups");
  EXPECT_EQ(told_[".storage-probe"], "removed: empty directory");
}

TEST_F(CleanupTest, IsDoneWhereNothingIs) {
  EXPECT_EQ(clean(), "done");
  EXPECT_TRUE(told_.empty());
}

TEST_F(CleanupTest, RemovesAFileThatIsNotCompleteYet) {
  LayoutOptions options;
  options.allowance.bytes = kMiB;
  ASSERT_FALSE(lay_out(target_, request({4 * kSize.value}), options).file);
  EXPECT_EQ(clean(), "done");
  EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(CleanupTest, LeavesAFileWithoutOurHeaderAndNamesTheCure) {
  lay_out_file();
  write_file(place() / kName, std::string(8192, 'x'));
  EXPECT_EQ(clean(), "file_conflict");
  EXPECT_EQ(read_whole(place() / kName), std::string(8192, 'x'));
  EXPECT_TRUE(told_[kName].starts_with("left: ")) << told_[kName];
  EXPECT_NE(told_[kName].find("cleanup --force " + (place() / kName).string()), std::string::npos);
}

TEST_F(CleanupTest, LeavesTheFilesOfOthersAndTheirDirectory) {
  lay_out_file();
  FileRequest other = request(kSize);
  other.host_id = "1111111111111111";
  lay_out_file(other);
  write_file(place() / (std::string(kName) + ".bak"), "an operator's");
  EXPECT_EQ(clean(), "done");
  EXPECT_FALSE(fs::exists(place() / kName));
  EXPECT_TRUE(fs::exists(place() / "1111111111111111.dat"));
  EXPECT_TRUE(fs::exists(place() / "CACHEDIR.TAG"));
  EXPECT_EQ(told_[".storage-probe"],
            "left: not empty: it holds 00c0ffee00c0ffee.dat.bak, 1111111111111111.dat, "
            "CACHEDIR.TAG");
}

TEST_F(CleanupTest, LeavesATagThatIsNotOurs) {
  lay_out_file();
  write_file(place() / "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
  EXPECT_EQ(clean(), "done");
  EXPECT_TRUE(fs::exists(place() / "CACHEDIR.TAG"));
}

TEST_F(CleanupTest, LeavesADirectoryThatTheOperatorChose) {
  fs::create_directory(dir_ / "bench");
  FileRequest wanted = request(kSize);
  wanted.spec.directory = "bench";
  wanted.spec.directory_is_explicit = true;
  lay_out_file(wanted);
  EXPECT_EQ(clean(wanted), "done");
  EXPECT_TRUE(fs::exists(dir_ / "bench"));
  EXPECT_TRUE(fs::is_empty(dir_ / "bench"));
}

TEST_F(CleanupTest, LeavesWhatIsNoPlainFileInItsPlaces) {
  fs::create_directory(place());
  write_file(dir_ / "victim", "precious");
  for (const std::string& name : {std::string(kName), std::string(kName) + ".new"}) {
    for (const int kind : {0, 1, 2, 3}) {
      fs::remove(place() / name);
      if (kind == 0) fs::create_symlink(dir_ / "victim", place() / name);
      if (kind == 1) fs::create_hard_link(dir_ / "victim", place() / name);
      if (kind == 2) ::mkfifo((place() / name).c_str(), 0600);
      if (kind == 3) fs::create_directory(place() / name);
      EXPECT_EQ(clean(), "file_conflict") << name << kind;
      EXPECT_TRUE(fs::exists(fs::symlink_status(place() / name))) << name << kind;
    }
    fs::remove(place() / name);
  }
  EXPECT_EQ(read_whole(dir_ / "victim"), "precious");
}

TEST_F(CleanupTest, DoesNotFollowALinkInPlaceOfTheDirectory) {
  fs::create_directory(dir_ / "elsewhere");
  write_file(dir_ / "elsewhere/00c0ffee00c0ffee.dat.new", "somebody's");
  fs::create_directory_symlink(dir_ / "elsewhere", place());
  EXPECT_EQ(clean(), "file_conflict");
  EXPECT_EQ(read_whole(dir_ / "elsewhere/00c0ffee00c0ffee.dat.new"), "somebody's");
}

// Between the look at a file and its removal somebody puts another in its place.
TEST_F(CleanupTest, SparesAFileThatIsSwappedIn) {
  const std::string precious(8192, 'v');
  write_file(dir_ / "precious", precious);
  std::atomic<bool> done{false};
  std::thread attacker([&] {
    const std::string ours = (place() / kName).string();
    const std::string theirs = (dir_ / "precious").string();
    while (!done) ::renameat2(AT_FDCWD, ours.c_str(), AT_FDCWD, theirs.c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(lay_out(target_, request({kSize.value / 4}), {}));
    clean();
  }
  done = true;
  attacker.join();
  bool survives = read_whole(dir_ / "precious") == precious;
  if (fs::exists(place()))
    for (const auto& entry : fs::directory_iterator(place()))
      survives = survives || read_whole(entry.path()) == precious;
  EXPECT_TRUE(survives);
}

TEST_F(CleanupTest, ForcesOneFileAndSaysWhatItWas) {
  lay_out_file();
  write_file(place() / kName, "somebody's");
  EXPECT_EQ(force(kName), "done");
  EXPECT_FALSE(fs::exists(place() / kName));
  EXPECT_TRUE(told_[kName].starts_with("removed: file of 10 B of uid ")) << told_[kName];
  EXPECT_TRUE(fs::exists(place() / "CACHEDIR.TAG"));
}

TEST_F(CleanupTest, ForcesALinkAndLeavesWhatItPointsTo) {
  fs::create_directory(place());
  write_file(dir_ / "victim", "precious");
  fs::create_symlink(dir_ / "victim", place() / kName);
  EXPECT_EQ(force(kName), "done");
  fs::create_hard_link(dir_ / "victim", place() / kName);
  EXPECT_EQ(force(kName), "done");
  EXPECT_EQ(read_whole(dir_ / "victim"), "precious");
}

TEST_F(CleanupTest, ForcesNothingElse) {
  fs::create_directories(place() / kName);
  write_file(place() / "notes.txt", "somebody's");
  write_file(dir_ / kName, "somebody's");
  EXPECT_EQ(force(kName), "file_conflict") << "a directory";
  for (const char* name : {"notes.txt", "../00c0ffee00c0ffee.dat", "", "1111111111111111.dat",
                           "00c0ffee00c0ffee.dat/x"})
    EXPECT_EQ(force(name), "file_conflict") << name;
  EXPECT_TRUE(fs::exists(place() / "notes.txt") && fs::exists(dir_ / kName));
}

}  // namespace
}  // namespace storage_probe::engine
