// SPDX-License-Identifier: Apache-2.0
#include "service/promise_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using std::chrono::seconds;

class PromiseWatchTest : public testing::Test {
 protected:
  PromiseWatchTest()
      : watch_(loop_, logger_, [this](PromiseBook book) { take(std::move(book)); }) {}

  void take(PromiseBook book) {
    books_.push_back(std::move(book));
    if (books_.size() == wanted_) loop_.exit(0);
  }
  // Half a minute passes, and the loop runs until there are so many books, or for a while.
  void until(std::size_t books, Duration patience = seconds(60)) {
    wanted_ = books;
    now_ += seconds(30);
    watch_.tick(now_);
    auto stop = std::move(*loop_.timer([this] { loop_.exit(0); }));
    stop.set_time(std::chrono::steady_clock::now() + patience);
    ASSERT_TRUE(loop_.run());
  }

  test::TempDir directory_;
  EventLoop loop_ = std::move(*EventLoop::create());
  Logger logger_{LogLevel::error, LogFormat::logfmt};
  std::vector<PromiseBook> books_;
  std::size_t wanted_ = 0;
  SteadyTime now_{std::chrono::hours(1000)};
  PromiseWatch watch_;
};

TEST_F(PromiseWatchTest, BringsWhatIsInTheFiles) {
  ASSERT_TRUE(watch_.watch(
      {test::write_file(directory_ / "promises.json", R"({"vol-1": {"iops": 3000}})")}));
  until(1);
  ASSERT_EQ(books_.size(), 1U);
  EXPECT_EQ(books_[0].at("vol-1").promise.iops, 3000);
}

TEST_F(PromiseWatchTest, WithoutFilesTheBookIsEmptyAtOnce) {
  ASSERT_TRUE(watch_.watch({}));
  ASSERT_EQ(books_.size(), 1U);
  EXPECT_TRUE(books_[0].empty());
}

TEST_F(PromiseWatchTest, WhileAFileIsWrongWhatWasBeforeHolds) {
  ASSERT_TRUE(watch_.watch({test::write_file(directory_ / "promises.json", "{")}));
  until(1, std::chrono::milliseconds(300));
  EXPECT_TRUE(books_.empty());
}

}  // namespace
}  // namespace storage_probe::service
