// SPDX-License-Identifier: Apache-2.0
#include "base/record_file.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace storage_probe {
namespace {

using Records = std::vector<std::string>;

struct RecordFileTest : testing::Test {
  test::TempDir dir;
  std::filesystem::path path = dir / "journal";

  RecordFile open(const std::string& format = "test-records 1") {
    auto opened = RecordFile::open(path, format);
    if (!opened) throw std::runtime_error(opened.error().message);
    return *std::move(opened);
  }
  static void await(RecordFile& file, const std::function<bool()>& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) {
      pollfd event{file.event_fd(), POLLIN, 0};
      ::poll(&event, 1, 10);
    }
    EXPECT_TRUE(condition());
  }
  static RecordFile::Contents contents_of(RecordFile& file) {
    std::optional<RecordFile::Contents> contents;
    await(file, [&] { return contents || (contents = file.take_contents()); });
    return contents.value_or(RecordFile::Contents{});
  }
  static void await_durable(RecordFile& file, std::uint64_t number) {
    await(file, [&] { return file.durable() >= number; });
  }
  static std::string await_failure(RecordFile& file) {
    await(file, [&] { return file.failure().has_value(); });
    const auto failure = file.failure();
    return failure ? failure->message : "";
  }
  RecordFile::Contents reread() {
    RecordFile file = open();
    return contents_of(file);
  }
  std::string text() const {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void set_text(const std::string& text) const { std::ofstream(path) << text; }
};

TEST_F(RecordFileTest, BeginsEmpty) {
  RecordFile file = open();
  const auto contents = contents_of(file);
  EXPECT_TRUE(contents.records.empty());
  EXPECT_FALSE(contents.is_damaged);
  EXPECT_EQ(text(), "test-records 1\n");
}

TEST_F(RecordFileTest, GivesBackWhatWasAppended) {
  {
    RecordFile file = open();
    file.append("one");
    await_durable(file, file.append("two words"));
  }
  EXPECT_EQ(reread().records, (Records{"one", "two words"}));
}

TEST_F(RecordFileTest, TellsItsContentsOnce) {
  RecordFile file = open();
  contents_of(file);
  EXPECT_FALSE(file.take_contents());
}

TEST_F(RecordFileTest, KeepsWhatIsAppendedBeforeItHasBeenRead) {
  { RecordFile file = open(); }
  {
    RecordFile file = open();
    await_durable(file, file.append("early"));
  }
  EXPECT_EQ(reread().records, (Records{"early"}));
}

TEST_F(RecordFileTest, WritesWhatIsQueuedWhenItIsClosed) {
  { open().append("late"); }
  EXPECT_EQ(reread().records, (Records{"late"}));
}

TEST_F(RecordFileTest, DropsATornEndAndGoesOnAfterIt) {
  { open().append("whole"); }
  const std::string whole = text();
  { open().append("torn off"); }
  for (std::size_t cut = whole.size(); cut < text().size(); ++cut) {
    test::TempDir another;
    path = another / "journal";
    set_text((whole + "0123456789abcdef torn off\n").substr(0, cut));
    {
      RecordFile file = open();
      const auto contents = contents_of(file);
      EXPECT_EQ(contents.records, (Records{"whole"}));
      EXPECT_FALSE(contents.is_damaged);
      await_durable(file, file.append("next"));
    }
    EXPECT_EQ(reread().records, (Records{"whole", "next"}));
    path = dir / "journal";
  }
}

TEST_F(RecordFileTest, SaysThatALineInTheMiddleIsDamaged) {
  {
    RecordFile file = open();
    file.append("first");
    file.append("second");
  }
  std::string changed = text();
  changed.replace(changed.find("first"), 5, "fjrst");
  set_text(changed);
  const auto contents = reread();
  EXPECT_TRUE(contents.is_damaged);
  EXPECT_EQ(contents.records, (Records{"second"}));
}

TEST_F(RecordFileTest, IsReplacedAsAWhole) {
  {
    RecordFile file = open();
    file.append("old");
    file.rewrite({"a", "b"});
    await_durable(file, file.append("c"));
  }
  EXPECT_EQ(reread().records, (Records{"a", "b", "c"}));
}

TEST_F(RecordFileTest, LeavesAForeignFileAsItIs) {
  set_text("something else\n");
  RecordFile file = open();
  EXPECT_NE(await_failure(file).find("journal: its first line is not \"test-records 1\""),
            std::string::npos);
  file.append("lost");
  EXPECT_EQ(text(), "something else\n");
}

TEST_F(RecordFileTest, IsUsableAgainAfterARewriteThatWorked) {
  path = dir / "later" / "journal";
  RecordFile file = open();
  await_failure(file);
  const std::uint64_t lost = file.append("lost");
  std::filesystem::create_directory(dir / "later");
  const std::uint64_t number = file.rewrite({"kept"});
  EXPECT_GT(number, lost);
  await_durable(file, number);
  EXPECT_FALSE(file.failure());
  await_durable(file, file.append("more"));
  EXPECT_EQ(reread().records, (Records{"kept", "more"}));
}

TEST_F(RecordFileTest, IsNotWrittenToOnceItWasRemoved) {
  RecordFile file = open();
  await_durable(file, file.append("first"));
  std::filesystem::remove(path);
  file.append("lost");
  EXPECT_NE(await_failure(file).find("it was removed"), std::string::npos);
  await_durable(file, file.rewrite({"all"}));
  EXPECT_EQ(reread().records, (Records{"all"}));
}

TEST_F(RecordFileTest, LeavesAloneWhatTookItsPlace) {
  RecordFile file = open();
  await_durable(file, file.append("first"));
  std::filesystem::remove(path);
  set_text("another's\n");
  file.append("lost");
  EXPECT_NE(await_failure(file).find("another file has its place"), std::string::npos);
  file.rewrite({"all"});
  file.append("lost, too");
  EXPECT_NE(await_failure(file), "");
  EXPECT_EQ(text(), "another's\n");
}

TEST_F(RecordFileTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);  // opening it would wait for a reader
  RecordFile file = open();
  file.append("record");
  EXPECT_NE(await_failure(file), "");
}

}  // namespace
}  // namespace storage_probe
