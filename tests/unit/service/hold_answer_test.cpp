// SPDX-License-Identifier: Apache-2.0
#include "service/hold_answer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_dir.h"

namespace storage_probe::service {
namespace {

using test::TempDir;

class HoldAnswerTest : public testing::Test {
 protected:
  std::optional<HoldAnswer> read() const { return *read_answer(file_); }

  TempDir directory_;
  std::filesystem::path file_ = answer_file(directory_ / "hold");
  HoldAnswer answer_{"/state", {{"db", "17"}, {"with space", ""}}, {"bd"}};
};

TEST_F(HoldAnswerTest, IsReadAsItWasWritten) {
  AnswerFile daemon(file_);
  daemon.write(answer_);
  EXPECT_EQ(read(), answer_);
}

TEST_F(HoldAnswerTest, OfNobodyIsNone) { EXPECT_EQ(read(), std::nullopt); }

TEST_F(HoldAnswerTest, OfADaemonThatIsGoneIsNone) {
  AnswerFile(file_).write(answer_);
  EXPECT_TRUE(std::filesystem::exists(file_));
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(HoldAnswerTest, ThatIsBeingWrittenIsNone) {
  AnswerFile daemon(file_);
  daemon.write(answer_);
  std::filesystem::resize_file(file_, 20);
  EXPECT_EQ(read(), std::nullopt);
}

TEST_F(HoldAnswerTest, IsWrittenAnewWhereItsFileHasGone) {
  AnswerFile daemon(file_);
  daemon.write(answer_);
  std::filesystem::remove(file_);
  daemon.write(answer_);
  EXPECT_EQ(read(), answer_);
}

TEST_F(HoldAnswerTest, OfTheFirstDaemonIsNotTheSeconds) {
  AnswerFile first(file_);
  AnswerFile second(file_);
  first.write(answer_);
  second.write({"/other", {}, {}});
  EXPECT_EQ(read(), answer_);
}

TEST_F(HoldAnswerTest, ANameWithALineEndGetsNone) {
  AnswerFile daemon(file_);
  daemon.write({"/state", {{"a\nend", "1"}}, {"b\nrests=1 db"}});
  EXPECT_EQ(read(), (HoldAnswer{"/state", {}, {}}));
}

}  // namespace
}  // namespace storage_probe::service
