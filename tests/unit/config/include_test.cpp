// SPDX-License-Identifier: Apache-2.0
#include "config/include.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/digest.h"
#include "support/temp_dir.h"
#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

class Include : public testing::Test {
 protected:
  Loaded load_main(const std::string& patterns) {
    return load(test::write_file(main_, "include: [" + patterns + "]\n"));
  }
  void add(const std::string& name, const std::string& text) {
    test::write_file(directory_ / name, text);
  }
  std::string in_main(const std::string& rest) const { return main_.string() + ":1:11: " + rest; }

  test::TempDir directory_;
  std::filesystem::path main_ = directory_ / "main.yml";
};

TEST_F(Include, AddsTargetsInTheOrderOfTheFilesNames) {
  const Loaded loaded = load(kData / "good/included.yml");
  ASSERT_EQ(loaded.errors, Lines{});
  std::vector<std::string> names;
  for (const Target& target : loaded.config.targets) names.push_back(target.name);
  EXPECT_EQ(names, (std::vector<std::string>{"db", "a", "b"}));
  EXPECT_EQ(loaded.config.max_concurrent_capacity, 4U);
  EXPECT_EQ(loaded.config.targets[2].probes[0].spec.queue_depth, 2U);
}

TEST_F(Include, IsPartOfTheDigest) {
  const auto good = kData / "good";
  const std::vector<std::string> texts{test::read_whole(good / "included.yml"),
                                       test::read_whole(good / "targets.d/a.yml"),
                                       test::read_whole(good / "targets.d/b.yml")};
  EXPECT_EQ(load(good / "included.yml").config.sha256, sha256(texts));
}

TEST_F(Include, NotesAPatternThatMatchesNothing) {
  EXPECT_EQ(load_main("targets.d/*.yml").notes, Lines{in_main("include[0]: matches no file")});
}

TEST_F(Include, NeverReadsTheMainFileTwice) {
  add("other.yml", "targets: [{name: a, path: /a}]");
  const Loaded loaded = load_main("\"*.yml\"");
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.config.targets.size(), 1U);
}

TEST_F(Include, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo((directory_ / "pipe.yml").c_str(), 0600), 0);
  std::filesystem::create_directory(directory_ / "directory.yml");
  const Loaded loaded = load_main("\"?i*.yml\"");
  EXPECT_EQ(
      loaded.errors,
      (Lines{
          in_main("include[0]: " + (directory_ / "directory.yml").string() + " is no regular file"),
          in_main("include[0]: " + (directory_ / "pipe.yml").string() + " is no regular file")}));
}

TEST_F(Include, SaysWhichFileCannotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  add("secret.yml", "");
  std::filesystem::permissions(directory_ / "secret.yml", std::filesystem::perms::none);
  EXPECT_EQ(load_main("secret.yml").errors,
            Lines{(directory_ / "secret.yml").string() + ": open: Permission denied"});
}

TEST_F(Include, SaysWhereALinkLeadsNowhere) {
  std::filesystem::create_symlink("gone", directory_ / "link.yml");
  EXPECT_EQ(load_main("link.yml").errors,
            Lines{in_main("include[0]: there is no file " + (directory_ / "link.yml").string())});
}

TEST_F(Include, ReadsAtMost64Files) {
  for (int i = 100; i < 165; ++i) add("d/" + std::to_string(i) + ".yml", "");
  EXPECT_EQ(
      load_main("d/*.yml").errors,
      Lines{main_.string() + ":1:10: include: 65 files, at most 64 are possible: merge some"});
}

TEST_F(Include, NamesTheFileOfABadText) {
  add("d/a.yml", "targets:\n  - name: [\n");
  const Loaded loaded = load_main("d/a.yml");
  ASSERT_EQ(loaded.errors.size(), 1U);
  EXPECT_EQ(loaded.errors[0].find((directory_ / "d/a.yml").string() + ":"), 0U);
}

}  // namespace
}  // namespace storage_probe::config
